// Since when a workspace has not been looked through for traps. Normally since the start of the jar that
// runs; longer where an earlier run was cut off (killed, out of memory, a power cut) before it could look:
// what it left is as fresh as ever.
#pragma once

#include <string>

#include <time.h>

#include "base/result.h"

namespace belljar::keeper {

class Unlooked {
 public:
  /// Writes down that from `started` on something may change, before it can. Keeps an earlier time that is
  /// there already.
  static Result<Unlooked> begin(const std::string& state_directory, timespec started);

  [[nodiscard]] timespec since() const { return since_; }
  /// An earlier run was cut off: what this one guards may be what that one left.
  [[nodiscard]] bool is_of_earlier_run() const { return earlier_; }
  /// The workspace was looked through, and what was found is told.
  void looked() const;

 private:
  Unlooked(std::string path, timespec since, bool earlier)
      : path_(std::move(path)), since_(since), earlier_(earlier) {}
  std::string path_;
  timespec since_;
  bool earlier_;
};

}  // namespace belljar::keeper
