// Which system calls a jar may make: an allow-list. What isn't on it answers EPERM; what programs probe for
// and replace answers ENOSYS; changing owners and ids, which a jar with one id can't, seems to succeed.
#pragma once

#include "os/syscall_filter.h"

namespace belljar::jar {

/// What becomes of a change of mode that would set a set-id bit: init is asked, who makes it without, or
/// refused.
enum class SetIds { ask, refuse };

os::SyscallFilter jar_syscalls(SetIds set_ids);

}  // namespace belljar::jar
