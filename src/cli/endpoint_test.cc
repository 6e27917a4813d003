#include "cli/endpoint.h"

#include <gtest/gtest.h>

namespace belljar::cli {
namespace {

using policy::Policy;

TEST(Endpoint, AServerOfTheHostBecomesAService) {
  Policy policy;
  EXPECT_EQ(open_endpoint("ANTHROPIC_BASE_URL", "http://localhost:8801/v", policy).value(),
            "http://host.belljar.internal:8801/v");
  ASSERT_EQ(policy.services.size(), 1U);
  EXPECT_EQ(policy.services[0].port, 8801);
  EXPECT_TRUE(policy.exceptions.empty());
}

TEST(Endpoint, AnyOtherServerIsAllowedAtThatNameAndPortOnly) {
  Policy policy;
  EXPECT_EQ(open_endpoint("OPENAI_BASE_URL", "https://Models.Corp.Example:8443/v1", policy).value(),
            "https://Models.Corp.Example:8443/v1");
  policy::Subject request{
      .host = "models.corp.example", .port = 8443, .method = "POST", .path = "/v1/responses"};
  EXPECT_EQ(judge(policy, request).verdict, policy::Verdict::allow);
  request.port = 443;
  EXPECT_EQ(judge(policy, request).verdict, policy::Verdict::deny);
  ASSERT_EQ(policy.exceptions.size(), 1U);
  EXPECT_EQ(policy.exceptions[0].host, "models.corp.example");
}

TEST(Endpoint, WhatCannotBeReachedSafelyIsRefused) {
  Policy policy;
  for (const char* url :
       {"ftp://a.example", "a.example", "https://user:key@a.example/", "https://localhost:1/",
        "http://a.example:0/", "http://a.example:x/", "http://10.0.0.1/", "http://[fd00::1]/", ""})
    EXPECT_FALSE(open_endpoint("X", url, policy).ok()) << url;
  EXPECT_TRUE(policy.rules.empty());
}

}  // namespace
}  // namespace belljar::cli
