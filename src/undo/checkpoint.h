// Checkpoints: saving a workspace as it stands.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "undo/scan.h"
#include "undo/store.h"

namespace belljar::undo {

/// [undo] of the configuration.
struct Bounds {
  std::int64_t keep = 7 * 86'400;     ///< seconds; the newest checkpoint stays in any case
  std::uint64_t size = 5ULL << 30;    ///< of a jar's store; bytes
  std::uint64_t ignored = 16U << 20;  ///< larger files that git ignores are not saved; bytes
};

struct Saving {
  std::string workspace;
  std::string why;       ///< one line
  bool running = false;  ///< programs may be writing in the workspace
  Bounds bounds;
  GitDirectory git;  ///< that the workspace belongs to, with the number that save_whole() sets
  std::function<void(const Progress&)> progress;
  std::vector<std::string> along;  ///< paths of files that are brought onto the disk with a new checkpoint
};

struct Saved {
  std::uint64_t number = 0;
  bool made = false;  ///< false: the workspace was as that checkpoint has it, but for times of directories
  Scan scan;
};

/// Saves the workspace, unless it is as it was saved last, but for times of directories. On failure (a full
/// disk) nothing is left of it, and the checkpoints that there are stay as they are.
Result<Saved> save(Store& store, const Saving& saving);

/// What save() would see, nothing written.
Result<Scan> look(Store& store, const Saving& saving);

/// Opens a workspace by its path for this: through no symlink. O_PATH.
Result<os::Fd> open_workspace(const std::string& workspace);

/// Of a start: saves (save_whole), notes the start, and begins a sweep in a process of its own where one is
/// due. An interrupted undo is an error with the command that ends it.
Result<Saved> save_before_start(const std::string& jar_directory, const Saving& saving);

}  // namespace belljar::undo
