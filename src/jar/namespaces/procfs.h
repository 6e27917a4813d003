// /proc of a jar: its own processes, without what describes or steers the host's kernel.
#pragma once

#include "base/result.h"
#include "jar/namespaces/tree.h"

namespace belljar::jar {

/// Mounts /proc. The host's /proc must still be mounted: the kernel allows a new one only to who sees a whole
/// one.
Result<void> build_procfs(Tree& tree);
/// No more user namespaces below the jar's. Before mask_procfs().
Result<void> forbid_user_namespaces();
/// Makes the parts that reach beyond the jar read-only or empty. The host is gone by then.
Result<void> mask_procfs(Tree& tree);

}  // namespace belljar::jar
