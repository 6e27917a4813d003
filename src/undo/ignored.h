// Whether git ignores a path: gitignore(5), read by our own matcher, as git must not be run in a workspace.
// Only asked for large files, which are rare, unless a jar makes many: each file of rules is read once, and
// what is read and how long is matched have bounds, beyond which nothing is ignored (and so saved).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace belljar::undo {

/// What one scan may spend on rules.
struct IgnoredBudget {
  std::size_t patterns = 4U << 20;      ///< of all files of rules; bytes
  std::size_t index = 64U << 20;        ///< of the git index; bytes
  std::uint64_t steps = 1'000'000'000;  ///< of matching and searching, each some nanoseconds at most
};

/// The rules of one workspace, for one scan.
class Ignored {
 public:
  explicit Ignored(IgnoredBudget budget) : budget_(budget) {}

  /// By the .gitignore files on the way from the workspace to `path` and .git/info/exclude, read through no
  /// symlink. A path that stands in the workspace's git index is tracked, and tracked files are not ignored.
  bool is_ignored(int workspace, const std::string& path);

 private:
  std::string_view rules_of(int workspace, const std::string& file);
  bool is_tracked(int workspace, const std::string& path);

  IgnoredBudget budget_;
  std::map<std::string, std::string> rules_;  ///< of each file of rules that was looked for
  std::optional<std::string> index_;
};

/// The last pattern of a file that speaks of `path` (relative to the file's directory): 1 ignores it, -1
/// takes that back, 0 none does. Any bytes as `patterns`. Takes from `steps` what it takes; when these are at
/// their end the answer is 0.
int judge_ignored(std::string_view patterns, std::string_view path, bool is_directory, std::uint64_t& steps);

/// fnmatch with FNM_PATHNAME, and ** as git has it. False when `steps` are at their end.
bool matches_glob(std::string_view pattern, std::string_view text, std::uint64_t& steps);

}  // namespace belljar::undo
