// The git directory that a workspace belongs to where it stands outside of it: of a linked worktree, of a
// submodule. A jar can write there as in its workspace, so it is saved with it: in a store of its own in the
// jar's directory, whose checkpoints those of the workspace name. Of a repository that several worktrees
// share each jar's store has all.
#pragma once

#include <string>

#include "undo/checkpoint.h"

namespace belljar::undo {

/// The directory whose Store is the git directory's.
std::string git_store_of(const std::string& jar_directory);

enum class When : std::uint8_t { start, any };

/// save(), after the git directory that `saving.git.path` names, if any. `store` is the workspace's. Of what
/// could not be saved of the git directory the whole paths are among the answer's.
Result<Saved> save_whole(Store& store, const std::string& jar_directory, const Saving& saving, When when);

/// The git directory's part of it: its saving, with nothing left out as being ignored.
Saving saving_of_git(const Saving& saving);

}  // namespace belljar::undo
