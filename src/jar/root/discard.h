// discard_tree: removes what belljar made and no jar has written to (copies, layers, trials).
#pragma once

#include <string>

namespace belljar::jar {

/// Removes a directory with all below it, through no symlink. What can't be removed stays: it is swept later.
void discard_tree(const std::string& path);

}  // namespace belljar::jar
