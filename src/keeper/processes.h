// The processes of a running jar as the host sees them: what they use, and holding them still.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace belljar::keeper {

/// Everything that comes from this process, it included. One that ends meanwhile may be missing, and so may
/// some where there are very many: for showing.
std::vector<pid_t> processes_below(pid_t first);
/// The same for who must have all: `limit_exceeded` where there are too many.
Result<std::vector<pid_t>> all_processes_below(pid_t first);

/// Whether all its threads have: nothing of it runs any more, its parent has not asked for its end yet. Its
/// first thread alone can end long before the others.
bool has_ended(pid_t process);

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
  /// Takes three seconds at most; then `limit_exceeded`, and what was stopped goes on.
  static Result<Pause> begin(pid_t first);
  /// Lets those go on that this has stopped.
  void end();

 private:
  explicit Pause(pid_t first) : first_(first) {}
  [[nodiscard]] Result<bool> stop_those_that_move(std::chrono::steady_clock::time_point until);
  pid_t first_;
  std::set<pid_t> stopped_;
};

}  // namespace belljar::keeper
