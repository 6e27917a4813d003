// Freezer: holds all programs of a jar still by the kernel's own means, which they neither see nor can undo.
// Only control groups of version 2: what one of version 1 has frozen can't even be killed, and would outlive
// whoever froze it. Where there is no such group to be had, there is Pause (processes.h).
#pragma once

#include <string>

#include <sys/types.h>

#include "base/result.h"
#include "jar/namespaces/control_group.h"

namespace belljar::keeper {

class Freezer {
 public:
  /// `first` is the jar's first process; `group` its control group of version 2, or empty: then one is made
  /// when it is needed, where version 2 stands beside version 1. It is removed with this, after the jar.
  Freezer(std::string jar, pid_t first, std::string group);
  ~Freezer();
  Freezer(const Freezer&) = delete;
  Freezer& operator=(const Freezer&) = delete;

  /// Returns once nothing moves. `unsupported` where no group is to be had; `timed_out` or `limit_exceeded`
  /// where the jar has too many processes to be held still within six seconds.
  Result<void> freeze();
  void thaw();

 private:
  Result<jar::NewGroup> make_group();
  [[nodiscard]] Result<void> gather() const;

  std::string jar_;
  pid_t first_;
  std::string group_;
  bool made_ = false;  ///< the group is of our own making
};

}  // namespace belljar::keeper
