// Answers of the gateway itself: what a client in the jar reads instead of a server's response.
#pragma once

#include <string>

#include "gateway/exchange.h"
#include "io/stream.h"
#include "policy/policy.h"

namespace belljar::proxy {

/// One line that fits a header: printable ASCII, at most 1 KiB.
std::string header_line(std::string_view text);

/// {"error": "belljar: why", "how": "what can be done"} (the latter where there is something) with the same
/// in the header x-belljar. `method` of the request: an answer to HEAD has no body.
Result<void> write_refusal(io::Writer& client, const gateway::Refusal& refusal, std::string_view method,
                           bool keep_alive);

}  // namespace belljar::proxy
