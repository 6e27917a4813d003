// Profile: what belljar knows of one agent: where its program comes from, how it starts unprompted, what its
// home needs, which hosts it talks to and why. Profiles are data: src/agents/profiles/*.toml, embedded.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace belljar::agents {

/// A file of the jar's home, written when it is absent: what the agent made of it later is its own, but that
/// what a login needs is added to it (home.h).
struct Seed {
  std::string path;  ///< relative to the home
  /// "${workspace}" stands for the workspace's path, "${value}" and "${value_tail}" for the login variable of
  /// `needs` and its last 20 characters, each escaped as in a JSON string.
  std::string text;
  std::string needs;  ///< a login variable: without it in the jar the seed is left out; empty: always
};

struct Profile {
  std::string name;
  std::string command;      ///< looked up in the host's PATH
  std::string npm_package;  ///< installed through the door where the host has no such command; may be empty
  std::vector<std::string> arguments;  ///< put before the user's
  std::map<std::string, std::string> environment;
  std::vector<std::string> login_variables;  ///< of the host's environment
  std::vector<std::string> login_files;      ///< relative to the host's home
  std::string login_missing;                 ///< what to do without a login
  std::string endpoint_variable;  ///< names the model server in the user's environment; may be empty
  std::vector<Seed> seeds;
  std::vector<policy::Rule> rules;
};

/// The names of all profiles, sorted.
std::vector<std::string> profile_names();
bool has_profile(std::string_view name);
/// not_found names the known ones.
Result<Profile> load_profile(std::string_view name);
/// For tests of the format; `origin` is named in errors.
Result<Profile> parse_profile(std::string_view toml, std::string_view origin);

}  // namespace belljar::agents
