// Where a child begins to run. The scheduler leaves one that was just made in the queue of its parent's
// processor, also beside an idle one: it would not run before the parent waits for something.
#pragma once

#include "os/pid.h"

namespace belljar::os {

/// Moves a child that was just made to another processor than the caller's, where there is one that it may
/// run on; all that it may run on stay so. Where this doesn't work, it only begins later.
void begin_elsewhere(const Pid& child);

}  // namespace belljar::os
