#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/policy.h"
#include "policy/random_policies_test.h"

namespace belljar::policy {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

HostPattern host(std::string_view text) { return HostPattern::parse(text).value(); }

Rule allow(std::string_view name) {
  return {.verdict = Verdict::allow, .host = host(name), .origin = "allow line"};
}

Rule deny(std::string_view name) {
  return {.verdict = Verdict::deny,
          .host = host(name),
          .schemes = {Scheme::http, Scheme::https},
          .methods = {"*"},
          .reason = "not here",
          .origin = "deny line"};
}

Subject get(std::string name, std::string path = "/") {
  return {.host = std::move(name), .method = "GET", .path = std::move(path)};
}

TEST(Judge, DeniesEverythingUnderAnEmptyPolicy) {
  for (auto method : {"GET", "HEAD", "POST", "CONNECT"}) {
    auto subject = get("example.com");
    subject.method = method;
    EXPECT_EQ(judge({}, subject).verdict, Verdict::deny);
  }
  EXPECT_EQ(judge_host({}, "example.com").verdict, Verdict::deny);
  EXPECT_EQ(judge_connection({}, Scheme::https, "example.com", 443).verdict, Verdict::deny);
  EXPECT_EQ(judge_host({}, kServiceHost).verdict, Verdict::deny);
}

TEST(Judge, AllowsWhatARuleCovers) {
  Policy policy{.rules = {allow("example.com")}};
  auto judgement = judge(policy, get("example.com", "/a"));
  EXPECT_EQ(judgement.verdict, Verdict::allow);
  EXPECT_EQ(judgement.origin, "allow line");
}

TEST(Judge, DenyComesBeforeHoldBeforeAllow) {
  auto hold = allow("example.com");
  hold.verdict = Verdict::hold;
  hold.origin = "hold line";
  Policy policy{.rules = {allow("*.example.com"), allow("example.com"), hold, deny("bad.example.com")}};
  EXPECT_EQ(judge(policy, get("good.example.com")).verdict, Verdict::allow);
  auto denied = judge(policy, get("bad.example.com"));
  EXPECT_EQ(denied.verdict, Verdict::deny);
  EXPECT_EQ(denied.origin, "deny line");
  EXPECT_THAT(denied.reason, AllOf(HasSubstr("deny line"), HasSubstr("not here")));
  auto held = judge(policy, get("example.com"));
  EXPECT_EQ(held.verdict, Verdict::hold);
  EXPECT_THAT(held.reason, AllOf(HasSubstr("hold line"), HasSubstr("denied")));
}

TEST(Judge, NamesTheBestNearMissAndWhatToDo) {
  auto other_port = allow("api.example.com");
  other_port.ports = {8443};
  auto reading = allow("api.example.com");
  reading.paths = {"/repos/acme/**"};
  Policy policy{.rules = {other_port, reading}};

  auto post = get("api.example.com", "/repos/acme/app");
  post.method = "POST";
  EXPECT_THAT(judge(policy, post).reason,
              AllOf(HasSubstr("POST is not allowed for api.example.com"), HasSubstr("GET, HEAD"),
                    HasSubstr("belljar allow api.example.com --method POST --path '/repos/acme/app'")));
  EXPECT_THAT(judge(policy, get("api.example.com", "/user")).reason,
              AllOf(HasSubstr("/repos/acme/**"), HasSubstr("belljar allow api.example.com --path '/user'")));
  EXPECT_THAT(judge(policy, get("elsewhere.example")).reason,
              AllOf(HasSubstr("elsewhere.example is not in this jar's policy"),
                    HasSubstr("belljar allow elsewhere.example")));
  auto plain = get("api.example.com");
  plain.scheme = Scheme::http;
  plain.port = 80;
  EXPECT_THAT(judge(policy, plain).reason, HasSubstr("--http"));
}

TEST(Judge, OffersNoCommandThatAShellWouldTakeApart) {
  Policy policy{.rules = {allow("example.com")}};
  policy.rules[0].paths = {"/safe"};
  auto subject = get("example.com", "/x';touch$(x)&'y");
  EXPECT_THAT(judge(policy, subject).reason, HasSubstr("--path '/x%27;touch$(x)&%27y'"));
  subject = get("example.com", "/safe");
  subject.method = "POST`X`";
  EXPECT_THAT(judge(policy, subject).reason, Not(HasSubstr("--method")));
  subject = get("example.com", "/" + std::string(5000, 'a'));
  EXPECT_LT(judge(policy, subject).reason.size(), 1000U);
}

TEST(Judge, ARuleWithPathsCoversEveryReadingOrNothing) {
  auto narrow = allow("example.com");
  narrow.paths = {"/public/*"};
  EXPECT_EQ(judge({.rules = {narrow}}, get("example.com", "/public/a%2Fb")).verdict, Verdict::deny);
  auto closed = deny("example.com");
  closed.paths = {"/admin/**"};
  Policy policy{.rules = {allow("example.com"), closed}};
  EXPECT_EQ(judge(policy, get("example.com", "/public")).verdict, Verdict::allow);
  for (auto path : {"/admin", "/admin/", "/admin%2Fx", "/%2561dmin/x", "/admin;a/x"})
    EXPECT_EQ(judge(policy, get("example.com", path)).verdict, Verdict::deny) << path;
}

TEST(Judge, DeniesASubjectThatIsNotCanonical) {
  Policy policy{.rules = {allow("example.com"), deny("example.com")}};
  policy.rules[1].paths = {"/admin/**"};
  EXPECT_EQ(judge(policy, get("EXAMPLE.com")).verdict, Verdict::deny);
  EXPECT_EQ(judge(policy, get("example.com.")).verdict, Verdict::deny);
  EXPECT_EQ(judge(policy, get("example.com", "/%61dmin/x")).verdict, Verdict::deny);
  EXPECT_EQ(judge(policy, get("example.com", "/a/../admin")).verdict, Verdict::deny);
  auto lower = get("example.com");
  lower.method = "get";
  EXPECT_EQ(judge(policy, lower).verdict, Verdict::deny);
}

TEST(Judge, PortsAndSchemesAreNamedOrDefault) {
  auto plain = allow("example.com");
  plain.schemes = {Scheme::http};
  Policy policy{.rules = {plain}};
  EXPECT_EQ(judge_connection(policy, Scheme::http, "example.com", 80).verdict, Verdict::allow);
  EXPECT_EQ(judge_connection(policy, Scheme::https, "example.com", 443).verdict, Verdict::deny);
  EXPECT_EQ(judge_connection(policy, Scheme::http, "example.com", 443).verdict, Verdict::deny);
  policy.rules[0].ports = {8080};
  EXPECT_EQ(judge_connection(policy, Scheme::http, "example.com", 80).verdict, Verdict::deny);
  EXPECT_EQ(judge_connection(policy, Scheme::http, "example.com", 8080).verdict, Verdict::allow);
}

TEST(Judge, ADenyRuleWithoutPortsIsForEveryPort) {
  auto wide = allow("*.example.com");
  wide.ports = {443, 8443};
  Policy policy{.rules = {wide, deny("bad.example.com")}};
  auto subject = get("bad.example.com");
  subject.port = 8443;
  EXPECT_EQ(judge(policy, subject).verdict, Verdict::deny);
  EXPECT_EQ(judge_host(policy, "bad.example.com").verdict, Verdict::deny);
  EXPECT_EQ(judge_host(policy, "bad.example.com").origin, "deny line");
  EXPECT_EQ(judge_connection(policy, Scheme::https, "bad.example.com", 8443).verdict, Verdict::deny);
  EXPECT_EQ(judge_host(policy, "good.example.com").verdict, Verdict::allow);
}

TEST(Judge, DeclaredServicesOfTheHostTakeAnyMethodOverPlainHttp) {
  Policy policy{.services = {{.name = "ollama", .port = 11434, .origin = "config"}}};
  Subject subject{.scheme = Scheme::http,
                  .host = std::string(kServiceHost),
                  .port = 11434,
                  .method = "POST",
                  .path = "/v1"};
  EXPECT_EQ(judge(policy, subject).verdict, Verdict::allow);
  EXPECT_EQ(judge_host(policy, kServiceHost).verdict, Verdict::allow);
  EXPECT_EQ(judge_connection(policy, Scheme::http, kServiceHost, 11434).verdict, Verdict::allow);
  EXPECT_EQ(judge_connection(policy, Scheme::https, kServiceHost, 11434).verdict, Verdict::deny);
  subject.port = 22;
  auto judgement = judge(policy, subject);
  EXPECT_EQ(judgement.verdict, Verdict::deny);
  EXPECT_THAT(judgement.reason, AllOf(HasSubstr("22"), HasSubstr("ollama = 11434"), HasSubstr("[services]")));
}

TEST(Judge, NoRuleOpensTheHostsOtherPorts) {
  auto rule = allow("*.belljar.internal");
  rule.schemes = {Scheme::http, Scheme::https};
  rule.ports = {22, 80, 443};
  rule.methods = {"*"};
  Policy policy{.rules = {rule, allow(kServiceHost)}};
  EXPECT_EQ(judge_host(policy, kServiceHost).verdict, Verdict::deny);
  EXPECT_EQ(judge_connection(policy, Scheme::http, kServiceHost, 22).verdict, Verdict::deny);
  EXPECT_EQ(judge(policy, get(std::string(kServiceHost))).verdict, Verdict::deny);
}

TEST_F(RandomPolicies, AConnectionIsNeverRefusedWhereARequestWouldPass) {
  int passed = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto rules = policy();
    auto asked = subject();
    if (judge(rules, asked).verdict == Verdict::deny) continue;
    ++passed;
    ASSERT_EQ(judge_host(rules, asked.host).verdict, Verdict::allow);
    ASSERT_EQ(judge_connection(rules, asked.scheme, asked.host, asked.port).verdict, Verdict::allow);
  }
  EXPECT_GT(passed, 500);
}

TEST_F(RandomPolicies, AnotherDenyRuleNeverOpensAnything) {
  for (int round = 0; round < 20'000; ++round) {
    auto before = policy();
    auto after = before;
    auto added = rule();
    added.verdict = Verdict::deny;
    after.rules.insert(
        after.rules.begin() + static_cast<std::ptrdiff_t>(random_() % (after.rules.size() + 1)), added);
    auto asked = subject();
    if (judge(before, asked).verdict == Verdict::deny) {
      ASSERT_EQ(judge(after, asked).verdict, Verdict::deny);
    }
    if (judge_host(before, asked.host).verdict == Verdict::deny) {
      ASSERT_EQ(judge_host(after, asked.host).verdict, Verdict::deny);
    }
  }
}

TEST_F(RandomPolicies, TheOrderOfRulesDoesNotMatter) {
  for (int round = 0; round < 20'000; ++round) {
    auto rules = policy();
    auto asked = subject();
    auto verdict = judge(rules, asked).verdict;
    std::shuffle(rules.rules.begin(), rules.rules.end(), random_);
    ASSERT_EQ(judge(rules, asked).verdict, verdict);
  }
}

TEST_F(RandomPolicies, EveryVerdictExplainsItself) {
  for (int round = 0; round < 5'000; ++round) {
    auto judgement = judge(policy(), subject());
    ASSERT_FALSE(judgement.reason.empty());
    ASSERT_EQ(judgement.reason.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace belljar::policy
