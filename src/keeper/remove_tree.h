// remove_tree: deletes a directory that a jar has had in its hands.
#pragma once

#include <string>

#include "base/result.h"

namespace belljar::keeper {

/// Deletes `path` and all below it, following no symlink and crossing into no other file system, without
/// recursion (a jar can nest directories deeper than a stack is). Directories that the jar made unreadable
/// are made readable first.
Result<void> remove_tree(const std::string& path);

}  // namespace belljar::keeper
