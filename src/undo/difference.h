// The difference between a workspace as it is and as it was: what an undo would do, for people to read, and
// for the undo to know what it must not destroy.
#pragma once

#include <string>
#include <vector>

#include "undo/state.h"

namespace belljar::undo {

struct Change {
  enum class Kind : std::uint8_t {
    brought_back,  ///< it was there and isn't
    removed,       ///< it wasn't there and is
    changed,       ///< its content, or what it is
    attributes,    ///< only mode, owner, times …
    kept,          ///< it wasn't there, and stays, as it couldn't be saved
    lost,          ///< it was there and isn't, but had not been saved
    destroyed,     ///< it would be replaced, but couldn't be saved
  };
  Kind kind;
  std::string path;
  bool directory = false;
  bool of_git = false;  ///< in a repository's own directory
};

/// Of the whole workspace, or of what is at `path` and below; in the order of the paths. A directory that is
/// removed or brought back is told with all that is in it.
std::vector<Change> compare(const State& now, const State& then, const std::string& path);

/// Whether only times of directories differ, as when files were made in them and removed again.
bool differ_in_directory_times_only(const State& now, const State& then);

/// For each directory, whether something unsaved is in it or below.
std::vector<bool> holds_unsaved(const State& state);

/// What one state has at a path: the entry's number or kNone. The empty path is the workspace, entry 0.
std::uint32_t find_path(const State& state, std::string_view path);

}  // namespace belljar::undo
