#include "policy/lint.h"

#include <gtest/gtest.h>

namespace belljar::policy {
namespace {

Rule rule(Verdict verdict, std::string_view name, std::string origin) {
  return {.verdict = verdict, .host = HostPattern::parse(name).value(), .origin = std::move(origin)};
}

TEST(Lint, IsSilentAboutAnOrdinaryPolicy) {
  Policy policy{.rules = {rule(Verdict::allow, "*.example.com", "1"),
                          rule(Verdict::deny, "bad.example.com", "2"),
                          rule(Verdict::allow, "example.com", "3")}};
  EXPECT_TRUE(lint(policy).empty());
}

TEST(Lint, NamesWildcardsThatStrangersShare) {
  for (auto name : {"*.com", "*.co.uk", "*.github.io"}) {
    auto warnings = lint({.rules = {rule(Verdict::allow, name, "line 1")}});
    ASSERT_EQ(warnings.size(), 1U) << name;
    EXPECT_EQ(warnings[0].origin, "line 1");
  }
  EXPECT_TRUE(lint({.rules = {rule(Verdict::deny, "*.com", "")}}).empty()) << "a wide deny is no risk";
}

TEST(Lint, NamesRulesThatNeverApply) {
  auto all = rule(Verdict::deny, "*.example.com", "deny line");
  all.methods = {"*"};
  auto warnings = lint({.rules = {rule(Verdict::allow, "a.example.com", "allow line"), all}});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].origin, "allow line");
  EXPECT_NE(warnings[0].message.find("deny line"), std::string::npos);
  all.paths = {"/only/here"};
  EXPECT_TRUE(lint({.rules = {rule(Verdict::allow, "a.example.com", ""), all}}).empty());
}

TEST(Lint, NamesOneOfTwoEqualRules) {
  auto warnings =
      lint({.rules = {rule(Verdict::allow, "example.com", "1"), rule(Verdict::allow, "example.com", "2")}});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].origin, "2");
}

}  // namespace
}  // namespace belljar::policy
