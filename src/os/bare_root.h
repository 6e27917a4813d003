// A root directory with nothing in it but some directories at their own paths: for kernels without Landlock.
#pragma once

#include <span>

#include <sys/types.h>

#include "base/result.h"
#include "os/landlock.h"

namespace belljar::os {

/// The caller has just entered a user and a mount namespace of its own, has no thread beside it, and was
/// `user` and `group` before. From here on no path leads to anything else; the descriptors of the grants lead
/// there too, others of directories must not be kept. Where it fails nothing has changed but the ids, which
/// are the caller's own.
Result<void> enter_bare_root(uid_t user, gid_t group, std::span<const PathGrant> paths);

}  // namespace belljar::os
