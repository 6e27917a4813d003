// What the commands of undo share: the bounds of the configuration, progress, what is told of what could not
// be saved; and the checkpoint of a start.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "config/config.h"
#include "keeper/directories.h"
#include "keeper/jars.h"
#include "undo/checkpoint.h"

namespace belljar::cli {

undo::Bounds bounds_of(const config::UndoBounds& wanted);

/// Tells how far a scan is, once it takes longer than a second: on a terminal a line that is written over,
/// elsewhere one line.
class SavingProgress {
 public:
  SavingProgress();
  ~SavingProgress();
  SavingProgress(const SavingProgress&) = delete;
  SavingProgress& operator=(const SavingProgress&) = delete;
  void operator()(const undo::Progress& progress);

 private:
  std::int64_t next_;  ///< when something is told again; milliseconds
  bool on_terminal_;
  bool told_ = false;
};

/// What was not saved, but for what a rule leaves out; also that attributes were dropped.
void tell_unsaved(const undo::Scan& scan);

/// "12.3 MiB".
std::string show_bytes(std::uint64_t bytes);

/// Before a jar starts: its workspace is saved. Where it can't be at all (a full disk, more entries than
/// there is place for) that is told, and the person at the terminal asked: a no is an Error; without a
/// terminal the start goes on. An undo that was interrupted is an Error, as the workspace is then half of one
/// and half of the other; so is one that goes on in the same files (same_files.h).
Result<void> save_before_start(const keeper::Directories& directories, keeper::TakenJar& jar,
                               const config::UndoBounds& bounds);

}  // namespace belljar::cli
