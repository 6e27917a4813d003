// fork_process: a function in a process of its own.
#pragma once

#include <functional>

#include "base/result.h"
#include "os/pid.h"

namespace belljar::os {

enum class Lifetime { parents, own };  ///< killed when the calling thread ends, or goes on

/// Runs `body` in a child, which exits with what it answers. The caller must be single-threaded; the child
/// has copies of all descriptors and must return from `body` only by its end.
Result<Pid> fork_process(Lifetime lifetime, const std::function<int()>& body);

/// For a child that goes on by itself: a pipe that it held would keep its reader waiting. -1 keeps none.
void close_all_but(int kept);

/// The same for what need not be done at once, and outlives the caller: bringing files onto the disk holds up
/// whoever else writes to that file system, first of all what was just started. Of the caller's descriptors
/// the child has `kept` alone (-1: none). To be abandoned, or waited for by who lives longer than it.
Result<Pid> fork_unhurried(int kept, const std::function<int()>& body);

}  // namespace belljar::os
