// run_either: two things at once, of which the end of one is the end of the other.
#pragma once

#include <functional>

#include "base/result.h"

namespace belljar::keeper {

/// Runs both in fibers until one has ended, then cancels the other. How they ended is nobody's business.
void run_either(const std::function<Result<void>()>& first, const std::function<Result<void>()>& second);

}  // namespace belljar::keeper
