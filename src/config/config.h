// Configuration: what the user wrote in config.toml and in jars/NAME.toml, checked and as values.
//
// Whatever is not understood is an error, never ignored: unknown keys and wrong types with file, line, column
// and the nearest known key, all of a file's errors in one message, one a line.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace belljar::config {

struct Limits {
  std::optional<std::uint64_t> memory;     ///< bytes
  std::optional<double> cpus;              ///< cores
  std::optional<std::uint64_t> processes;  ///< of the whole jar
};

/// A rule for the hosts of a tool's registries as the host's own configuration names them
/// (config/registries.h).
struct RegistryRule {
  std::vector<std::string> registries;  ///< "npm", "pypi"
  policy::Rule rule;                    ///< without host, port and scheme
};

struct Config {
  std::optional<std::string> agent;
  std::optional<std::string> backend;    ///< "auto", "namespace", "vm"
  std::optional<std::string> workspace;  ///< "bind"
  std::vector<policy::Rule> rules;
  std::vector<RegistryRule> registries;
  Limits limits;
  std::vector<policy::Service> services;
  std::map<std::string, std::string> variables;  ///< plain variables for the jar
  std::vector<std::string> passed_variables;     ///< names whose value on the host goes in
};

/// `shown_path` is what messages and origins call the file ("~/.config/belljar/config.toml"). The text is at
/// most 1 MiB.
Result<Config> parse_config(std::string_view toml, const std::string& shown_path);
/// An absent file is an empty configuration.
Result<Config> load_config(const std::string& path, const std::string& shown_path);

/// What `over` says wins where there is room for one value; rules, services and variables add up.
Config merge(Config base, const Config& over);

}  // namespace belljar::config
