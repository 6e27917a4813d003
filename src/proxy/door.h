// Door: accepts every TCP connection of the jar and serves each in a fiber of its own.
#pragma once

#include "os/fd.h"
#include "proxy/context.h"

namespace belljar::proxy {

inline constexpr std::size_t kMaxConnections =
    512;  ///< of one jar at a time; further ones wait to be accepted

/// Serves until the listener fails or the fiber is cancelled.
Result<void> serve_door(Context& context, os::Fd listener);

}  // namespace belljar::proxy
