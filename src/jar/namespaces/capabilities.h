// What a jar's root may do in its own namespaces: the capabilities that package managers, sudo and servers
// need, and none that could undo a mount, a route or a limit.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace belljar::jar {

/// CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID SETPCAP NET_BIND_SERVICE SYS_CHROOT AUDIT_WRITE.
/// Never SETFCAP: through a workspace that host root gave to the jar, a file's capabilities set inside count
/// for everybody outside.
inline constexpr std::uint64_t kJarCapabilities = 0x200405fb;

/// Drops every other capability from the bounding set and all sets of this process, for good.
Result<void> drop_capabilities();
/// no_new_privs: nothing executed from here on gains any right.
Result<void> forbid_new_privileges();

}  // namespace belljar::jar
