// The processes of a running jar as the host sees them: what they use, and holding them still.
#pragma once

#include <cstdint>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace belljar::keeper {

/// Everything that comes from this process, it included. One that ends meanwhile may be missing.
std::vector<pid_t> processes_below(pid_t first);

struct Figures {
  std::uint64_t cpu_milliseconds = 0;  ///< used by them, and by their children that have ended
  std::uint64_t memory = 0;            ///< bytes: proportional set size
};
/// Of those that still are and may be looked at.
Figures measure(const std::vector<pid_t>& processes);

/// One interval of stillness. Stops all below `first` but not it itself, which is belljar's own and starts
/// nothing by itself. Programs see that they were stopped: only the signal is there without a control group
/// of the user's.
class Pause {
 public:
  static Result<Pause> begin(pid_t first);
  /// Lets those go on that this has stopped.
  void end();

 private:
  explicit Pause(pid_t first) : first_(first) {}
  pid_t first_;
  std::vector<pid_t> stopped_;
};

}  // namespace belljar::keeper
