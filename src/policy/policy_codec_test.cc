#include <gtest/gtest.h>

#include "policy/random_policies_test.h"

namespace belljar::policy {
namespace {

TEST_F(RandomPolicies, SurviveTheWire) {
  for (int round = 0; round < 2'000; ++round) {
    auto rules = policy();
    rules.exceptions = {{.host = "registry.test", .port = 8080, .origin = "x"}};
    rules.services = {{.name = "s", .port = 1, .origin = "y"}};
    auto bytes = encode(rules);
    auto again = decode(bytes);
    ASSERT_TRUE(again.ok());
    ASSERT_EQ(encode(*again), bytes);
    auto asked = subject();
    ASSERT_EQ(judge(*again, asked).reason, judge(rules, asked).reason);
    auto cut = bytes;
    cut.pop_back();
    ASSERT_FALSE(decode(cut).ok());
    bytes.push_back(0);
    ASSERT_FALSE(decode(bytes).ok());
  }
}

TEST(PolicyCodec, RefusesPartsThatAreNotCanonical) {
  Policy policy{.rules = {{.verdict = Verdict::allow, .host = HostPattern::parse("example.com").value()}}};
  policy.rules[0].paths = {"/%61"};
  EXPECT_FALSE(decode(encode(policy)).ok());
  policy.rules[0].paths = {};
  ASSERT_TRUE(decode(encode(policy)).ok());
  policy.exceptions = {{.host = "EXAMPLE.com", .port = 443, .origin = ""}};
  EXPECT_FALSE(decode(encode(policy)).ok());
}

}  // namespace
}  // namespace belljar::policy
