// Who the user is to git: what commits made in a jar are signed off with.
#pragma once

#include <string>

#include "keeper/directories.h"

namespace belljar::cli {

/// A git configuration with the name and the email of the host's own (~/.gitconfig, else
/// $XDG_CONFIG_HOME/git/config; files that those include are not read) and nothing else of it; empty when
/// there are none.
std::string git_identity(const keeper::Directories& directories);

}  // namespace belljar::cli
