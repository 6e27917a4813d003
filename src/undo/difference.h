// The difference between a workspace as it is and as it was: what an undo would do, for people to read, and
// for the undo to know what it must not destroy.
#pragma once

#include <optional>
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
  enum class In : std::uint8_t { now, then };
  Kind kind;
  In in;  ///< the state that `place` and `entry` are numbers of
  bool directory = false;
  bool of_git = false;          ///< in a repository's own directory
  bool only_time = false;       ///< of `attributes`: nothing but its time
  std::uint32_t place = kNone;  ///< the directory that it is in
  std::uint32_t entry = kNone;
  std::uint32_t below = 0;         ///< how many entries more, in it and below, have the same fate
  std::uint32_t below_of_git = 0;  ///< how many of these are in a repository's own directory
};

/// Of the whole workspace, or of what is at `path` and below; a directory before what is in it, by the names.
/// A directory that is removed or brought back as a whole is one change.
std::vector<Change> compare(const State& now, const State& then, const std::string& path);

/// Whether it is only the time stamp of a directory, or of anything in a repository's own directory
/// (`all_of_git`: the whole of it is one): what changes whenever git or an editor looks.
bool is_idle_time(const Change& change, bool all_of_git);
/// Whether it is a changed index of a repository: git_index.h can tell whether that means anything.
bool is_changed_index(const Change& change, const State& then, bool all_of_git);

/// For people: a path that is too long to be shown is cut (State::shown_path).
std::string path_of(const Change& change, const State& now, const State& then);

/// The first that would be replaced, but couldn't be saved, for people.
std::optional<std::string> find_destroyed(const State& now, const State& then, const std::string& path);

/// Whether only times of directories differ, as when files were made in them and removed again.
bool differ_in_directory_times_only(const State& now, const State& then);

/// For each directory, whether something unsaved is in it or below.
std::vector<bool> holds_unsaved(const State& state);

/// What one state has at a path: the entry's number or kNone. The empty path is the workspace, entry 0.
std::uint32_t find_path(const State& state, std::string_view path);

}  // namespace belljar::undo
