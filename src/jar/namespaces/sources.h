// What of the host the jar sees: every source is opened as a detached mount before the jar's own root is
// built. An unprivileged caller can do that only in the child's mount namespace; root does it outside, as the
// jar's id can't reach its home or state directories.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "jar/identity.h"
#include "os/fd.h"

namespace belljar::jar {

enum class Access : std::uint8_t {
  read_only,
  program,     ///< read-only; readable for the jar even where only its owner may read it
  read_write,  ///< the jar's own
  as_owner,    ///< read_write; what is made in it belongs to the directory's owner outside
};

struct Source {
  std::string path;    ///< on the host, without symlinks
  std::string target;  ///< in the jar
  Access access = Access::read_only;
  os::Fd mount;  ///< once opened
};

/// Root gives the jar what belongs to somebody else, by an idmapped mount.
inline bool is_given(const Source& source, const Identity& identity) {
  return identity.privileged && (source.access == Access::as_owner || source.access == Access::program);
}

/// Opens source.mount. Every mount is nosuid and nodev, with what is mounted below it. `jar_users`: the jar's
/// user namespace, needed where the source is given.
Result<void> open_source(Source& source, const Identity& identity, int jar_users = -1);

}  // namespace belljar::jar
