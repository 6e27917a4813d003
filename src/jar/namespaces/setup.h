// What the child does between clone and becoming init: everything from the network to the syscall filter. It
// reports the door, or why the jar can't be, over init's socket.
#pragma once

#include <vector>

#include "base/result.h"
#include "jar/identity.h"
#include "os/syscall_filter.h"

namespace belljar::jar {

/// Never returns: becomes init, or reports and exits. `socket` is the end at which its plan arrives
/// (setup_plan.h), and becomes kInitSocket; `filter` is that of the jar's system calls.
[[noreturn]] void run_setup(int socket, const Identity& identity, const std::vector<sock_filter>& filter);

}  // namespace belljar::jar
