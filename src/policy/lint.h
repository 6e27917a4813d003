// Lint: what is probably not meant in a policy. Nothing here changes a verdict.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"

namespace belljar::policy {

struct LintWarning {
  std::string message;  ///< one line
  std::string origin;   ///< of the rule it is about
};

/// Wildcards that cover a whole registry of names, rules that a deny rule takes back whole, rules that
/// another one already says.
std::vector<LintWarning> lint(const Policy& policy);

}  // namespace belljar::policy
