// Whether an agent's login on the host may enter a jar. As long as credentials are not kept in custody, the
// real one enters, so the user is asked once per agent and the answer is kept.
#pragma once

#include <optional>
#include <string>

#include "agents/profile.h"
#include "base/result.h"
#include "cli/environment.h"
#include "keeper/directories.h"

namespace belljar::cli {

/// What of a login the host has.
struct FoundLogin {
  std::vector<std::string> variables;
  std::vector<std::string> files;  ///< relative to the host's home
  [[nodiscard]] bool any() const { return !variables.empty() || !files.empty(); }
};
FoundLogin find_login(const agents::Profile& profile, const std::string& user_home);

/// `asked` is the command line's word, when there is one. Else the kept answer; else, on a terminal, the
/// question; else no, told on standard error with the command that changes it.
Result<bool> may_use_login(const agents::Profile& profile, const FoundLogin& found, std::optional<bool> asked,
                           const keeper::Directories& directories);

/// Puts the login into the jar's environment and home.
Result<void> hand_login(const FoundLogin& found, const std::string& user_home, const std::string& jar_home,
                        Environment& environment);

}  // namespace belljar::cli
