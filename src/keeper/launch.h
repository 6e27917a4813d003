// Starting a jar from a command: its keeper is launched first, so that it gets ready while the command still
// gathers what the jar needs, and then told the plan.
#pragma once

#include <string>

#include "base/result.h"
#include "keeper/jars.h"
#include "keeper/plan.h"
#include "keeper/relay.h"
#include "keeper/worker.h"

namespace belljar::keeper {

class LaunchedKeeper {
 public:
  static Result<LaunchedKeeper> launch(const std::string& libexec_directory);
  LaunchedKeeper(LaunchedKeeper&&) = default;
  LaunchedKeeper& operator=(LaunchedKeeper&&) = delete;
  /// Where it was not told to proceed, the start is given up: waits until nothing of it is left.
  ~LaunchedKeeper();

  /// Hands over the plan, the lock and the streams. The keeper makes the jar, but touches no workspace and
  /// runs nothing before proceed().
  Result<void> start(const Plan& plan, JarLock& lock, Relay& relay);
  /// Says that the workspace is saved. From here on the keeper outlives this process; answered is the socket
  /// to it.
  Result<os::Fd> proceed();
  /// Why it ended, when it says so.
  [[nodiscard]] std::string last_words() const { return keeper::last_words(process_); }

 private:
  explicit LaunchedKeeper(Worker process) : process_(std::move(process)) {}
  Worker process_;
};

}  // namespace belljar::keeper
