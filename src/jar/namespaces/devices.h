// /dev of a jar: the few devices that hold no one's data, its own terminals and shared memory.
#pragma once

#include "base/result.h"
#include "jar/namespaces/tree.h"

namespace belljar::jar {

/// Fills /dev of the tree. The host's /dev must still be reachable at its place.
Result<void> build_devices(Tree& tree, std::uint64_t shared_memory_bytes);

}  // namespace belljar::jar
