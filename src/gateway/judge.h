// The verdict on the head of a request: what proxy and egress ask, each for itself.
#pragma once

#include "gateway/exchange.h"

namespace belljar::gateway {

/// policy::judge of the head, and of what its fields make of it: servers take X-HTTP-Method-Override and its
/// kin for the method, so that one must be allowed too. `malformed` for a path that can't be normalised, a
/// method that is none, and for fields that name another path (X-Original-URL, X-Rewrite-URL).
Result<policy::Judgement> judge(const policy::Policy& policy, const RequestHead& head);

}  // namespace belljar::gateway
