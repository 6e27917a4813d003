// restore: makes a workspace what a checkpoint says, to the byte: contents, modes, owners, times, extended
// attributes, hard links, empty directories, and nothing beside.
//
// Everything is written into a staging directory in the workspace first and renamed into its place, through
// descriptors and no symlink, so that nothing outside is ever written and no file is ever half. Where the
// file system is full, what is to be removed is removed first. A journal says that it is going on; doing it
// again ends what was interrupted.
#pragma once

#include "undo/difference.h"
#include "undo/journal.h"
#include "undo/store.h"

namespace belljar::undo {

struct Restoring {
  std::string workspace;
  std::uint64_t target = 0;  ///< number of the checkpoint that `then` is
  std::string path;          ///< only this; empty: all
  bool discard = false;      ///< also what could not be saved goes
  bool durable = true;       ///< all of it is on the disk before the journal goes; tests do without
};

struct Restored {
  std::vector<std::string> complaints;  ///< attributes that could not be set; one line each, the first few
  std::size_t complaint_count = 0;
};

/// `now` is the workspace as it stands. Fails with `already_exists` where something unsaved would be replaced
/// and `discard` is not set; nothing is touched then.
Result<Restored> restore(Store& store, const State& now, const State& then, const Restoring& restoring);

}  // namespace belljar::undo
