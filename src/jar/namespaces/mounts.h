// Builds the jar's root and enters it. For the child, as root of its own user and mount namespaces.
#pragma once

#include "base/result.h"
#include "jar/namespaces/root_plan.h"
#include "jar/namespaces/tree.h"

namespace belljar::jar {

/// Where the jar's private files live; read-only, and nothing that the jar could not know.
inline constexpr const char* kPrivateDirectory = "/run/belljar";

/// Builds everything below a new root, `plan` with its sources open, up to but without the guard of the
/// workspace. The host's files are still reachable by this process.
Result<Tree> build_root(RootPlan& plan);

/// Makes it the only root there is. The host is gone afterwards.
Result<void> enter_root(const Tree& tree);

/// Takes away writing where nothing is left to be made: the root itself, /dev, the private directory, and
/// what in /proc describes or steers the host.
Result<void> seal_root(Tree& tree);

}  // namespace belljar::jar
