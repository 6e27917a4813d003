// belljard from its start to its end: one for each user, whoever starts it.
#pragma once

#include <chrono>

#include "base/result.h"
#include "keeper/directories.h"
#include "os/fd.h"

namespace belljar::daemon {

struct DaemonOptions {
  keeper::Directories directories;
  os::Fd lock;      ///< held already, by who started it; absent: to be taken
  os::Fd listener;  ///< of a service manager; absent: to be made
  /// So long without a jar that runs and without a client, and it ends.
  std::chrono::milliseconds idle = std::chrono::minutes(1);
};

/// Returns when it is idle, told to end, or when there is another one already.
Result<void> run_daemon(DaemonOptions options);

}  // namespace belljar::daemon
