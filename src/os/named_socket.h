// SOCK_SEQPACKET sockets with a name in a directory. Paths may be of any length.
#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace belljar::os {

/// Listens, without blocking, at this name in the directory; a socket that is there is replaced. Who else
/// could be listening there is for the caller to settle, by a lock.
Result<Fd> listen_at(const std::string& directory, const std::string& name);

/// not_found when nobody listens there. `patient`: waits while the listener has too many to accept; otherwise
/// that is timed_out.
Result<Fd> connect_to(const std::string& directory, const std::string& name, bool patient = true);

}  // namespace belljar::os
