// Why a server's answer could not be had, in words an agent can act on.
#pragma once

#include "base/error.h"
#include "egress/upstream.h"
#include "gateway/exchange.h"

namespace belljar::egress {

/// 504 when it took too long, else 502.
gateway::Refusal refusal_for_failure(const Error& error, const Origin& origin);

}  // namespace belljar::egress
