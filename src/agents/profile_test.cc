#include "agents/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::agents {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(Profile, EveryEmbeddedProfileLoadsUnderItsName) {
  for (const auto& name : profile_names()) {
    auto profile = load_profile(name);
    ASSERT_TRUE(profile.ok()) << profile.error().to_string();
    EXPECT_EQ(profile->name, name);
    for (const auto& rule : profile->rules)
      EXPECT_FALSE(rule.reason.empty());
  }
}

TEST(Profile, ClaudeStartsUnpromptedAndReachesItsModel) {
  auto claude = load_profile("claude").value();
  EXPECT_THAT(claude.arguments, Contains("--dangerously-skip-permissions"));
  policy::Policy policy{.rules = claude.rules};
  policy::Subject request{.host = "api.anthropic.com", .method = "POST", .path = "/v1/messages"};
  EXPECT_EQ(judge(policy, request).verdict, policy::Verdict::allow);
  request.host = "claude.ai";
  request.path = "/public/artifacts/upload";
  EXPECT_EQ(judge(policy, request).verdict, policy::Verdict::deny);
}

TEST(Profile, AnUnknownAgentIsToldTheKnownOnes) {
  EXPECT_THAT(load_profile("cluade").error().to_string(), HasSubstr("claude, cline, codex"));
}

TEST(Profile, AHostNeedsItsReason) {
  auto profile =
      parse_profile("name = 'x'\nprogram = { command = 'x' }\n[[host]]\nhost = 'x.example'\n", "test");
  ASSERT_FALSE(profile.ok());
  EXPECT_THAT(profile.error().to_string(), HasSubstr("without a reason"));
}

TEST(Profile, ASyntaxErrorNamesItsLine) {
  EXPECT_THAT(parse_profile("name = 'x'\nprogram = ", "test").error().to_string(), HasSubstr("test:2:"));
}

}  // namespace
}  // namespace belljar::agents
