// The words of a verdict: why, and what the agent or its user can do. They end up in a 403, in the log and on
// a terminal, and parts of them come from the jar: every such part is bounded and safe to paste into a shell.
#pragma once

#include "policy/path.h"
#include "policy/policy.h"

namespace belljar::policy {

/// What a rule says for itself: its own reason, or where it stands.
std::string reason_of(const Rule& rule);
/// No rule matched: names the best near miss.
std::string explain_default_deny(const Policy& policy, const Subject& subject, const PathReadings& path);
std::string explain_unknown_host(const Policy& policy, std::string_view host);
/// The host is known, but not with this scheme and port.
std::string explain_wrong_port(const Policy& policy, Scheme scheme, std::string_view host,
                               std::uint16_t port);
/// `port` 0: none in particular.
std::string explain_missing_service(const Policy& policy, std::uint16_t port);

}  // namespace belljar::policy
