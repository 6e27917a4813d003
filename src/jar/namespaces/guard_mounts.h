// Carries out the guard of a workspace: the mounts that its plan names.
#pragma once

#include "base/result.h"
#include "jar/namespaces/tree.h"
#include "jar/workspace/guard.h"

namespace belljar::jar {

/// For the child, with the workspace attached in the tree and the private directory still writable. Private
/// copies get numbers from `first_copy` on: no two plans may share one.
Result<void> apply_guard(const GuardPlan& plan, Tree& tree, std::size_t first_copy = 0);

}  // namespace belljar::jar
