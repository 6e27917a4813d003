// Which directories can't be a jar's workspace: what a jar may write must hold nothing that the host runs by
// itself or that belljar trusts.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace belljar::jar {

/// The home that a jar shows in its own's place, $HOME, and the one that the system knows of.
std::vector<std::string> homes_of_user(const std::string& jar_home);

/// `homes`: home directories of the user; `hidden`: belljar's own directories. All paths absolute; the
/// workspace's without symlinks. Refuses (invalid_argument, with a hint) what is or contains one of them, and
/// system directories.
Result<void> check_workspace(const std::string& workspace, const std::vector<std::string>& homes,
                             const std::vector<std::string>& hidden);

}  // namespace belljar::jar
