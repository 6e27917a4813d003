// Whether git ignores a path: gitignore(5), read by our own matcher, as git must not be run in a workspace.
// Only asked for large files, which are rare.
#pragma once

#include <string>
#include <string_view>

namespace belljar::undo {

/// By the .gitignore files on the way from the workspace to `path` and .git/info/exclude, read through no
/// symlink. A path that stands in the workspace's git index is tracked, and tracked files are not ignored.
bool is_ignored(int workspace, const std::string& path);

/// The last pattern of a file that speaks of `path` (relative to the file's directory): 1 ignores it, -1
/// takes that back, 0 none does. Any bytes as `patterns`; the time is at most their length times that of the
/// path.
int judge_ignored(std::string_view patterns, std::string_view path, bool is_directory);

/// fnmatch with FNM_PATHNAME, and ** as git has it.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace belljar::undo
