// What the mains of the gateway's processes have in common.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"

namespace belljar::gateway {

/// Runs `serve` in a loop until it ends, or the starter closes the control socket: then everything under way
/// is cut. Returns the exit code of the process; failures go to standard error.
int run_worker(std::string_view name, std::function<Result<void>()> serve);

}  // namespace belljar::gateway
