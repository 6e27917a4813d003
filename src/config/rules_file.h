// The rules that `belljar allow` and `belljar deny` write: one block a rule at the end of a TOML file that
// people edit too, so everything else in it stays as it is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/placement.h"
#include "policy/policy.h"

namespace belljar::config {

struct RulesFile {
  std::string path;
  std::string shown_path;  ///< for messages and origins
  /// What stands in there is no rule of the user's, and is not written on: an error. Empty: nothing.
  WrittenByJars written = {};
};

/// Appends the rule as a block of its own; answers false when the file has it already. The file and its
/// directory are made when absent. A file that has errors is not touched. Safe against other belljar
/// processes and crashes.
Result<bool> add_rule(const RulesFile& file, const policy::Rule& rule);

/// What add_rule() would answer, with nothing written.
Result<bool> check_rule(const RulesFile& file, const policy::Rule& rule);

/// Which rules to take back: those of this verdict and host, and where a list is given, of exactly these.
struct RuleFilter {
  policy::Verdict verdict = policy::Verdict::allow;
  policy::HostPattern host;
  std::optional<std::vector<std::string>> methods;
  std::optional<std::vector<std::string>> paths;
  std::optional<std::vector<std::uint16_t>> ports;
};

/// Takes the matching rules out, comments stay; the number of them. A rule that can't be taken out alone (one
/// of several hosts, or written inline) is an error with its place, and nothing is changed.
Result<std::size_t> remove_rules(const RulesFile& file, const RuleFilter& filter);

/// The block as it is written.
std::string to_toml(const policy::Rule& rule);

}  // namespace belljar::config
