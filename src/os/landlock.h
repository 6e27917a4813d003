// Landlock: takes from this process, for good, what it may reach by path, TCP port, abstract socket and
// signal. Needs no privilege but no_new_privs. landlock(7).
#pragma once

#include <span>

#include "base/result.h"

namespace belljar::os {

/// A directory (or file) that stays reachable, with all below it.
struct PathGrant {
  int fd = -1;  ///< borrowed; O_PATH is enough
  bool writable = false;
};

struct LandlockRules {
  std::span<const PathGrant> paths;  ///< everything else of every filesystem is out of reach
  bool tcp_connect = false;
  bool tcp_bind = false;
};

/// The highest ABI of the running kernel; 0 when it has none or it is off.
int landlock_abi();

/// Puts on all that the kernel knows of: paths (ABI 1), truncation (3), TCP (4), device ioctls (5), signals
/// and abstract sockets of other domains (6). `unsupported` when landlock_abi() is 0.
Result<void> restrict_with_landlock(const LandlockRules& rules);

}  // namespace belljar::os
