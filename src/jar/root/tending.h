// The process that saves a root generation behind a running jar.
#pragma once

#include "base/result.h"
#include "jar/root/generation.h"
#include "os/pid.h"

namespace belljar::jar {

/// Starts tend_generation() in a process of the lowest priority that ends with this one, after a moment:
/// short runs don't feel it. The caller must be single-threaded.
Result<os::Pid> start_tending(const GenerationRequest& request, const Generation& generation);

}  // namespace belljar::jar
