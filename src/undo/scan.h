// scan: what a workspace is like now, its contents saved on the way. What did not change since the previous
// scan is known by its times and not read.
//
// The workspace is hostile and may change all the while: see descent.h. A file is read only when it is still
// a regular one after it was opened, and no more of it than it had then; FIFOs, sockets and devices are never
// opened. Nothing in the workspace is changed, but that files and directories of the caller's own that are
// closed to it are opened for a moment.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "undo/large_files.h"
#include "undo/store.h"

namespace belljar::undo {

struct Progress {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;  ///< read
};

struct ScanRules {
  std::uint64_t ignored = 16U << 20;   ///< larger files that git ignores are not saved; bytes
  std::uint64_t room = 5ULL << 30;     ///< by how much the store may grow; bytes
  std::uint64_t largest = 5ULL << 30;  ///< that a store can hold at all; bytes
  /// Within how many seconds of a file's last change a later one may not show in its times: a clock's grain,
  /// or, where programs run in the workspace, how long a memory-mapped page may stay unwritten.
  std::int64_t racy_seconds = 2;
  std::size_t most_entries = kMaxEntries;    ///< a directory that doesn't fit in any more is not saved
  std::size_t most_names = 768U << 20;       ///< likewise; bytes
  std::size_t most_attributes = 256U << 20;  ///< what is beyond goes unsaved; bytes
  bool look_only = false;   ///< save nothing: what would be saved gets its name, and that is all
  std::string passed_over;  ///< a name in the workspace that is not its own (an undo's staging directory)
  std::function<void(const Progress&)> progress;
};

struct Unsaved {
  std::string path;
  Reason reason;
  std::uint64_t size = 0;
};

struct Scan {
  State state;
  ObjectId top;             ///< listing of the workspace's own entry
  ObjectId top_tree;        ///< for the commit; only where `top` is new
  std::size_t read = 0;     ///< entries whose content was read
  std::size_t settled = 0;  ///< entries of these that had not changed: a new index spares reading them again
  std::vector<Unsaved> unsaved;
  std::size_t dropped = 0;         ///< entries whose extended attributes were not saved: too many
  std::vector<std::string> large;  ///< files that were added beside the packs
};

/// New objects go to `pack`. `previous` may be empty; where the workspace is still what `previous_top` names,
/// there is nothing new. Takes an O_PATH descriptor. `limit_exceeded` only when the workspace itself has more
/// entries than can be saved.
Result<Scan> scan(os::Fd workspace, const State& previous, const ObjectId& previous_top, Store& store,
                  PackWriter& pack, const ScanRules& rules);

std::string_view describe(Reason reason);

}  // namespace belljar::undo
