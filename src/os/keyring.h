// Keys of the user in the kernel (keyrings(7)): memory that outlives a process, is on no disk, and that no
// other user namespace sees. Where the kernel has none, or a sandbox forbids them, nothing is ever there.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/secret.h"

namespace belljar::os {

/// Leaves a value of at most kMaxKey bytes for later, in the place of what has this name already.
Result<void> leave_key(const std::string& name, const Secret& value, std::chrono::seconds lifetime);
/// Takes it away: of several that try, one gets it.
std::optional<Secret> take_key(const std::string& name);
bool has_key(const std::string& name);

inline constexpr std::size_t kMaxKey = 4096;

}  // namespace belljar::os
