// Relay: the place between proxy and egress where everything that goes out is read.
//
// Each link of the proxy gets one of its own toward egress. Frames are decoded, checked and encoded anew:
// egress never sees a byte that the proxy wrote. Nothing is inspected yet.
#pragma once

#include "gateway/link.h"

namespace belljar::scan {

inline constexpr std::size_t kMaxLinks = 1024;

/// Serves every link of the proxy until the proxy is gone (then it returns) or the fiber is cancelled. When
/// egress is gone, links end at once and the proxy says so.
Result<void> serve_proxy(gateway::LinkListener& proxy, gateway::LinkOpener& egress);

/// Moves frames both ways between two links until either ends; closes both.
void relay(gateway::Link& proxy, gateway::Link& egress);

}  // namespace belljar::scan
