// Random policies and subjects over few names, so that rules meet: for the property tests.
#pragma once

#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "policy/policy.h"

namespace belljar::policy {

class RandomPolicies : public testing::Test {
 protected:
  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(random_() % values.size()));
  }
  Rule rule() {
    Rule rule{
        .verdict = one_of({Verdict::allow, Verdict::allow, Verdict::deny, Verdict::hold}),
        .host = HostPattern::parse(one_of<const char*>({"a.test", "*.test", "*.a.test", "b.test"})).value()};
    rule.schemes =
        one_of<std::vector<Scheme>>({{Scheme::https}, {Scheme::http}, {Scheme::http, Scheme::https}});
    rule.ports = one_of<std::vector<std::uint16_t>>({{}, {443}, {80, 8443}});
    rule.methods = one_of<std::vector<std::string>>({{"GET", "HEAD"}, {"*"}, {"POST"}});
    rule.paths = one_of<std::vector<std::string>>({{}, {}, {"/x/**"}, {"/*"}});
    rule.origin = "rule " + std::to_string(random_() % 1000);
    return rule;
  }
  Policy policy() {
    Policy policy;
    for (auto count = random_() % 5; count > 0; --count)
      policy.rules.push_back(rule());
    return policy;
  }
  Subject subject() {
    return {.scheme = one_of({Scheme::http, Scheme::https}),
            .host = one_of<const char*>({"a.test", "b.test", "c.a.test", "other.example"}),
            .port = one_of<std::uint16_t>({80, 443, 8443}),
            .method = one_of<const char*>({"GET", "POST", "DELETE"}),
            .path = one_of<const char*>({"/", "/x", "/x/y", "/x%2Fy"})};
  }
  std::mt19937 random_{5};
};

}  // namespace belljar::policy
