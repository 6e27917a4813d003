// Which directories of the host a jar can write, and who else is at them: an undo and a running jar must not
// be at work in the same files, and neither two undos.
//
// Each says first that it is there (a start by its jar's lock, an undo by its claim) and looks for the other
// then, so that of two that come at once one at least sees the other.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "keeper/directories.h"
#include "keeper/jars.h"

namespace belljar::cli {

/// What a jar must never write: belljar's directories and the programs that the next start runs. A workspace
/// beside a program is fine, one that holds it is not.
Result<std::vector<std::string>> own_places(const keeper::Directories& directories);

/// The git directory outside of the workspace that it belongs to (jar/workspace/linked.h); empty: none, or
/// none that a jar of it would be shown.
std::string git_directory_of(const keeper::Directories& directories, const std::string& workspace);

/// Keeps in the jar's directory which one that is as of this start: while the jar runs, what its workspace
/// says of it is the jar's to change.
Result<void> note_git_directory(const std::string& jar_directory, const std::string& git_directory);

/// No other jar that can write one of these directories, or something in or above them, may run; nor one
/// whose record can't tell. `name` is the jar that is undone.
Result<void> check_nobody_runs_there(const keeper::Directories& directories, const std::string& name,
                                     const std::vector<std::string>& places);

/// That an undo is at work in these directories; gone when this is, unless it was interrupted and must be
/// ended first: undo-claim in the jar's directory, synced.
class [[nodiscard]] UndoClaim {
 public:
  /// The jar's lock is held by the caller.
  static Result<UndoClaim> make(const std::string& jar_directory, const std::vector<std::string>& places);
  UndoClaim(UndoClaim&& other) noexcept : path_(std::move(other.path_)), store_(std::move(other.store_)) {
    other.path_.clear();
  }
  UndoClaim& operator=(UndoClaim&&) = delete;
  ~UndoClaim();

 private:
  UndoClaim(std::string path, std::string store) : path_(std::move(path)), store_(std::move(store)) {}
  std::string path_;
  std::string store_;  ///< of the jar's checkpoints: a journal in there means that it was interrupted
};

/// No undo of another jar may be at work, or be interrupted, in the files of this one, whose lock the caller
/// holds; nobody stands behind a claim of its own any more, which goes.
Result<void> check_no_undo_there(const keeper::Directories& directories, const keeper::JarRecord& jar,
                                 const std::string& git_directory);

}  // namespace belljar::cli
