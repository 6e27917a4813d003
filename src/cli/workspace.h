// Which directory of the host a jar shows.
#pragma once

#include <string>

#include "base/result.h"

namespace belljar::cli {

struct Workspace {
  std::string root;     ///< shown in the jar; empty: none
  std::string current;  ///< where the program starts, in root
};

/// The repository around the current directory (its nearest ancestor with a .git, below the user's home),
/// else the current directory itself; or `chosen` when it isn't empty. Symlinks are resolved.
Result<Workspace> find_workspace(const std::string& chosen, const std::string& user_home);

}  // namespace belljar::cli
