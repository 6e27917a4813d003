#include "gateway/judge.h"

#include <gtest/gtest.h>

namespace belljar::gateway {
namespace {

using policy::Verdict;

policy::Policy policy_for(std::vector<std::string> methods) {
  policy::Rule rule;
  rule.verdict = Verdict::allow;
  rule.host = policy::HostPattern::parse("api.example.com").value();
  rule.methods = std::move(methods);
  policy::Policy policy;
  policy.rules.push_back(rule);
  return policy;
}

RequestHead request_with(std::string_view field, std::string_view value) {
  RequestHead head;
  head.exchange = "0123456789abcdef";
  head.host = "api.example.com";
  head.method = "GET";
  head.path = "/items";
  if (!field.empty()) head.headers.add(field, value);
  return head;
}

TEST(Judge, AsksThePolicyAboutTheRequest) {
  EXPECT_EQ(judge(policy_for({"GET"}), request_with("", ""))->verdict, Verdict::allow);
  EXPECT_EQ(judge(policy_for({"POST"}), request_with("", ""))->verdict, Verdict::deny);
}

TEST(Judge, AsksAboutTheMethodThatAFieldMakesOfIt) {
  for (const char* field :
       {"X-HTTP-Method-Override", "x-http-method", "X-Method-Override", "X_HTTP_Method_Override"}) {
    EXPECT_EQ(judge(policy_for({"GET"}), request_with(field, "DELETE"))->verdict, Verdict::deny) << field;
    EXPECT_EQ(judge(policy_for({"GET"}), request_with(field, "delete"))->verdict, Verdict::deny) << field;
    EXPECT_EQ(judge(policy_for({"GET"}), request_with(field, "get"))->verdict, Verdict::allow) << field;
    EXPECT_EQ(judge(policy_for({"GET", "DELETE"}), request_with(field, "DELETE"))->verdict, Verdict::allow)
        << field;
    EXPECT_FALSE(judge(policy_for({"*"}), request_with(field, "DELETE, GET")).ok()) << field;
    EXPECT_FALSE(judge(policy_for({"*"}), request_with(field, "")).ok()) << field;
  }
}

TEST(Judge, EveryFieldCounts) {
  auto head = request_with("x-http-method", "GET");
  head.headers.add("x-http-method", "DELETE");
  auto judgement = judge(policy_for({"GET"}), head);
  EXPECT_EQ(judgement->verdict, Verdict::deny);
  EXPECT_NE(judgement->reason.find("x-http-method"), std::string::npos);
}

TEST(Judge, RefusesFieldsThatNameAnotherPath) {
  for (const char* field : {"X-Original-URL", "X-Rewrite-URL", "x_original_url", "X-Original-URI"})
    EXPECT_FALSE(judge(policy_for({"*"}), request_with(field, "/admin")).ok()) << field;
}

}  // namespace
}  // namespace belljar::gateway
