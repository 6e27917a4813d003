// One directory that an undo makes what it was: the workspace, or the git directory that it belongs to.
// Looks, saves, compares, restores and looks again; asks and prints nothing.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "undo/checkpoint.h"
#include "undo/difference.h"
#include "undo/restore.h"

namespace belljar::cli {

class UndoTree {
 public:
  struct What {
    std::string directory;
    std::string path;   ///< only this of it; empty: all
    std::string why;    ///< of the checkpoint of what is there now
    std::string retry;  ///< the command that does it again
    bool all_of_git = false;
    bool discard = false;  ///< also what could not be saved goes
    undo::Bounds bounds;
  };
  UndoTree(undo::Store& store, What what) : store_(store), what_(std::move(what)) {}

  /// What it shall be.
  Result<void> aim(std::uint64_t checkpoint);
  [[nodiscard]] const undo::Checkpoint& target() const { return target_; }
  [[nodiscard]] const std::string& directory() const { return what_.directory; }

  /// Whether it isn't there at all: it was removed, or moved.
  [[nodiscard]] bool is_missing() const { return missing_; }
  Result<void> look_whether_there();
  /// Makes the missing directory again, empty.
  Result<void> make_again();

  Result<void> look();
  /// Saves what is there, told to the user where some can't be; its checkpoint's number. `git` belongs to it.
  Result<std::uint64_t> save(const undo::GitDirectory& git = {});

  /// What an undo does, to what is there as of the last look.
  [[nodiscard]] const std::vector<undo::Change>& changes() const { return changes_; }
  /// Whether these are only time stamps that change whenever git or an editor looks.
  [[nodiscard]] bool is_idle() const;
  [[nodiscard]] const undo::State& now() const { return now_; }
  [[nodiscard]] const undo::State& then() const { return then_; }
  /// already_exists where something would be replaced that can't be saved.
  Result<void> check_unsaved() const;
  /// not_found where the path is in neither.
  Result<void> check_path(const std::string& hint) const;

  /// What of it could not be set is in the answer.
  Result<undo::Restored> restore();
  /// Looks once more: `cancelled` where it is not as it was.
  Result<void> check_done();

 private:
  undo::Saving saving(undo::Saving from) const;
  void compare();
  bool is_index_alike(const undo::Change& change) const;

  undo::Store& store_;
  What what_;
  undo::Checkpoint target_;
  undo::State then_;
  undo::State now_;
  std::vector<undo::Change> changes_;
  bool missing_ = false;
};

}  // namespace belljar::cli
