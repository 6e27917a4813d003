// The environment of a program in a jar: built from an allow-list, so that what the user's shell carries
// (keys, tokens, agents' sockets, proxies) does not come along.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace belljar::cli {

using Environment = std::map<std::string, std::string>;

struct JarIdentity {
  std::string jar;
  std::string home;
  std::string user_name;
};

/// What every jar has: identity, PATH, the terminal's and the locale's variables of the host, and the jar's
/// authority for the tools that don't ask the system for it.
Environment base_environment(const JarIdentity& identity);

/// Adds NAME=VALUE, or the host's value of NAME (nothing when it has none).
Result<void> add_variable(Environment& environment, const std::string& assignment);

std::vector<std::string> to_list(const Environment& environment);

}  // namespace belljar::cli
