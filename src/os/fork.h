// clone_process and fork_process: a child of this program, known by its pidfd from the start.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/result.h"
#include "os/pid.h"

namespace belljar::os {

/// As fork(2), the child in `namespaces` of its own (CLONE_NEW…, 0: none). The child is answered nothing: it
/// must end without returning to the caller's callers, and the caller must be single-threaded.
Result<std::optional<Pid>> clone_process(std::uint64_t namespaces);

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
