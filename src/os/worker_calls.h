// The system calls that a worker process of belljar has left.
#pragma once

#include "os/syscall_filter.h"

namespace belljar::os {

/// What is allowed beyond the base set: memory without execution, time, the event loop, and reading, writing,
/// messages and closing on descriptors that one has.
struct WorkerCalls {
  bool network = false;       ///< socket() of IPv4 and IPv6 (stream, datagram), connect()
  bool files = false;         ///< opening and changing files by path
  bool socket_pairs = false;  ///< socketpair() of AF_UNIX, stream and seqpacket
  bool accept = false;        ///< accept() on listeners that one has
};

/// Calls that are not allowed fail with EPERM, so that a library's optional call costs nothing; those that
/// only an intruder makes (execve, ptrace, mount, open_by_handle_at, io_uring …) end the process with SIGSYS.
SyscallFilter filter_worker_calls(const WorkerCalls& calls);

}  // namespace belljar::os
