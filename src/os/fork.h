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

}  // namespace belljar::os
