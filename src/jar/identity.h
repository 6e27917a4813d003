// Who the jar's root is on the host. Always an unprivileged id that is mapped alone: to the caller itself,
// or, when the caller is the host's root, to an id that owns nothing on the host.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "os/fd.h"

namespace belljar::jar {

/// The host id of jars that root starts: above the ranges that container runtimes, subordinate ids and
/// network directories hand out, below 2^31. It needs no entry anywhere.
inline constexpr uid_t kJarHostId = 1'900'544'000;

struct Identity {
  uid_t user = 0;
  gid_t group = 0;
  /// The caller is the host's root: mounts are prepared outside, and the jar's files are given to `user`.
  bool privileged = false;
};

/// Chooses; fails with the exact reason when root can't hand the jar an unprivileged id.
Result<Identity> choose_identity();

/// Writes the id maps of a child that was made in a new user namespace.
Result<void> write_id_maps(pid_t child, const Identity& identity);

/// Becomes id 0 inside, without supplementary groups where they can be dropped. For the child, once mapped.
Result<void> become_jar_root(const Identity& identity);

/// Names of the supplementary groups that an unprivileged caller can't drop: they still open group-readable
/// files of the directories that the jar sees.
std::vector<std::string> remaining_groups(const Identity& identity);

/// A user namespace in which the files of `owner` on disk belong to the jar's root; for idmapped mounts.
Result<os::Fd> create_owner_map(uid_t owner, gid_t group, const Identity& identity);

}  // namespace belljar::jar
