// Who is at the other end of a local socket. A jar's processes have the user's uid: only the user namespace
// tells them from the user's own.
#pragma once

#include "base/result.h"

namespace belljar::os {

/// Whether the process that connected is of this user and of this very user namespace. permission_denied when
/// it isn't, and when that can't be told for certain. Looks at /proc: not for a process under Landlock.
Result<void> check_peer(int socket);

}  // namespace belljar::os
