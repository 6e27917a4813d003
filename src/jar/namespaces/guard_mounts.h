// Carries out the guard of a workspace: the mounts that its plan names.
#pragma once

#include "base/result.h"
#include "jar/namespaces/tree.h"
#include "jar/workspace/guard.h"

namespace belljar::jar {

/// For the child, with the workspace attached in the tree and the private directory still writable.
Result<void> apply_guard(const GuardPlan& plan, Tree& tree);

}  // namespace belljar::jar
