// A model server of the user's own, named by a variable of the host's environment (ANTHROPIC_BASE_URL …).
#pragma once

#include <string>

#include "base/result.h"
#include "policy/policy.h"

namespace belljar::cli {

/// Adds to `policy` what reaches that server, and answers the URL as the jar must write it: a server on the
/// host's loopback becomes a service (host.belljar.internal), any other stays as it is and may have the
/// addresses that it has on the host. invalid_argument when it is no http(s) URL of a name, or TLS on
/// loopback.
Result<std::string> open_endpoint(const std::string& variable, const std::string& url,
                                  policy::Policy& policy);

}  // namespace belljar::cli
