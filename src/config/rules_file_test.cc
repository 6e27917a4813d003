#include "config/rules_file.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/config.h"
#include "os/fd.h"

namespace belljar::config {
namespace {

using policy::Verdict;
using testing::HasSubstr;

class RulesFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "rules.XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    file_ = {.path = directory_ + "/jars/app.toml", .shown_path = "app.toml"};
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  static policy::Rule allow(std::string_view host) {
    return {.verdict = Verdict::allow, .host = policy::HostPattern::parse(host).value()};
  }
  static policy::Rule deny(std::string_view host) {
    return {.verdict = Verdict::deny,
            .host = policy::HostPattern::parse(host).value(),
            .schemes = {policy::Scheme::http, policy::Scheme::https},
            .methods = {"*"}};
  }
  static RuleFilter allowing(std::string_view host) {
    return {.host = policy::HostPattern::parse(host).value()};
  }
  void write(std::string_view text) {
    ASSERT_TRUE(os::create_directories(directory_ + "/jars").ok());
    ASSERT_TRUE(os::write_file_atomically(file_.path, text).ok());
  }
  std::string text() { return os::read_file(file_.path).value_or("absent"); }

  std::string directory_;
  RulesFile file_;
};

TEST_F(RulesFileTest, AddsToAnAbsentFile) {
  auto rule = allow("api.example.com");
  rule.methods = {"POST"};
  rule.paths = {"/a/**"};
  rule.ports = {8443};
  rule.schemes = {policy::Scheme::http};
  rule.reason = "say \"why\" \\ here";
  ASSERT_TRUE(*add_rule(file_, rule));
  EXPECT_EQ(text(),
            "[[egress.allow]]\nhost = \"api.example.com\"\nmethods = [\"POST\"]\npaths = [\"/a/**\"]\nports "
            "= [8443]\n"
            "schemes = [\"http\"]\nreason = \"say \\\"why\\\" \\\\ here\"\n");
  auto again = load_config(file_.path, "app.toml", {});
  ASSERT_EQ(again->rules.size(), 1U);
  EXPECT_EQ(again->rules[0].reason, rule.reason);
  EXPECT_EQ(again->rules[0].methods, rule.methods);
  EXPECT_EQ(again->rules[0].schemes, rule.schemes);
  struct stat status {};
  ASSERT_EQ(::stat(file_.path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(RulesFileTest, KeepsEverythingElseAsItIs) {
  std::string before = "# mine\n[jar]\nagent = \"claude\"   # really\n\n[[egress.deny]]\nhost=\"x.example\"";
  write(before);
  ASSERT_TRUE(*add_rule(file_, allow("a.example")));
  EXPECT_EQ(text(), before + "\n\n[[egress.allow]]\nhost = \"a.example\"\n");
}

TEST_F(RulesFileTest, SaysARuleOnlyOnce) {
  EXPECT_TRUE(*add_rule(file_, allow("a.example")));
  EXPECT_FALSE(*add_rule(file_, allow("a.example")));
  EXPECT_TRUE(*add_rule(file_, deny("a.example")));
  auto wider = allow("a.example");
  wider.methods = {"POST"};
  EXPECT_TRUE(*add_rule(file_, wider));
  EXPECT_EQ(load_config(file_.path, "", {})->rules.size(), 3U);
}

TEST_F(RulesFileTest, KnowsARuleInAnySpelling) {
  auto rule = deny("a.example");
  rule.schemes = {policy::Scheme::https, policy::Scheme::http};
  rule.paths = {"/%61/**"};
  EXPECT_TRUE(*add_rule(file_, rule));
  EXPECT_EQ(text(), "[[egress.deny]]\nhost = \"a.example\"\npaths = [\"/a/**\"]\n");
  EXPECT_FALSE(*add_rule(file_, rule));
  rule.paths = {"/a/../b"};
  EXPECT_FALSE(add_rule(file_, rule).ok());
  RuleFilter filter{.verdict = Verdict::deny, .host = rule.host, .paths = {{"/%61/**"}}};
  EXPECT_EQ(*remove_rules(file_, filter), 1U);
}

TEST_F(RulesFileTest, DoesNotTouchAFileWithErrors) {
  write("[jar]\nagnet = 1\n");
  auto added = add_rule(file_, allow("a.example"));
  ASSERT_FALSE(added.ok());
  EXPECT_THAT(added.error().message(), HasSubstr("app.toml:2:1"));
  EXPECT_EQ(text(), "[jar]\nagnet = 1\n");
}

TEST_F(RulesFileTest, DoesNotBreakAnInlineTable) {
  std::string before = "egress = { allow = [{ host = \"b.example\" }] }\n";
  write(before);
  EXPECT_FALSE(add_rule(file_, allow("a.example")).ok());
  EXPECT_FALSE(remove_rules(file_, allowing("b.example")).ok());
  EXPECT_EQ(text(), before);
}

TEST_F(RulesFileTest, TakesARuleOutAndLeavesComments) {
  write(
      "# mine\n[[egress.allow]]\nhost = \"a.example\" # gone with its line\n# stays\nmethods = [\n  "
      "\"GET\",\n]\n\n"
      "# about b\n[[egress.allow]]\nhost = \"b.example\"\n");
  EXPECT_EQ(*remove_rules(file_, allowing("a.example")), 1U);
  EXPECT_EQ(text(), "# mine\n# stays\n\n# about b\n[[egress.allow]]\nhost = \"b.example\"\n");
  EXPECT_EQ(*remove_rules(file_, allowing("a.example")), 0U);
}

TEST_F(RulesFileTest, WhatWasAddedAndTakenOutLeavesTheFileAsItWas) {
  write("[jar]\nagent = \"claude\"\n");
  ASSERT_TRUE(*add_rule(file_, allow("a.example")));
  ASSERT_EQ(*remove_rules(file_, allowing("a.example")), 1U);
  EXPECT_THAT(text(), testing::StartsWith("[jar]\nagent = \"claude\"\n"));
  EXPECT_EQ(load_config(file_.path, "", {})->rules.size(), 0U);
}

TEST_F(RulesFileTest, TakesOutOnlyWhatTheFilterNames) {
  auto post = allow("a.example");
  post.methods = {"POST"};
  ASSERT_TRUE(*add_rule(file_, allow("a.example")));
  ASSERT_TRUE(*add_rule(file_, post));
  ASSERT_TRUE(*add_rule(file_, deny("a.example")));
  auto filter = allowing("a.example");
  filter.methods = {{"POST"}};
  EXPECT_EQ(*remove_rules(file_, filter), 1U);
  auto rest = load_config(file_.path, "", {}).value();
  ASSERT_EQ(rest.rules.size(), 2U);
  EXPECT_EQ(rest.rules[0].methods.front(), "GET");
  EXPECT_EQ(rest.rules[1].verdict, Verdict::deny);
}

TEST_F(RulesFileTest, SendsSharedRulesToTheEditor) {
  std::string before = "[[egress.allow]]\nhost = [\"a.example\", \"b.example\"]\n";
  write(before);
  auto removed = remove_rules(file_, allowing("a.example"));
  ASSERT_FALSE(removed.ok());
  EXPECT_THAT(removed.error().message(), HasSubstr("app.toml:1:1"));
  EXPECT_EQ(text(), before);
}

TEST_F(RulesFileTest, LosesNoRuleOfManyWriters) {
  constexpr int kWriters = 4;
  constexpr int kRules = 10;
  for (int writer = 0; writer < kWriters; ++writer) {
    if (::fork() != 0) continue;
    int failures = 0;
    for (int i = 0; i < kRules; ++i)
      failures +=
          add_rule(file_, allow("h" + std::to_string(writer) + "x" + std::to_string(i) + ".example")).ok()
              ? 0
              : 1;
    ::_exit(failures);
  }
  for (int writer = 0; writer < kWriters; ++writer) {
    int status = -1;
    ASSERT_GT(::wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(load_config(file_.path, "", {})->rules.size(), static_cast<std::size_t>(kWriters * kRules));
}

}  // namespace
}  // namespace belljar::config
