// Context: what every connection of one jar's proxy works with.
#pragma once

#include "dns/name_pool.h"
#include "gateway/link.h"
#include "ledger/recorder.h"
#include "policy/policy.h"
#include "tls/authority.h"

namespace belljar::proxy {

/// How long a jar's client may take. A stream that moves has no limit in all.
struct Patience {
  rt::Duration first_bytes = std::chrono::seconds(10);  ///< until a ClientHello or a request line is there
  rt::Duration refused = std::chrono::seconds(2);       ///< the same where every request would be denied
  rt::Duration handshake = std::chrono::seconds(10);
  rt::Duration head = std::chrono::seconds(30);
  rt::Duration idle = std::chrono::minutes(5);    ///< between two requests
  rt::Duration stall = std::chrono::minutes(10);  ///< without a byte moving within a message
};

struct Context {
  const policy::Policy& policy;
  dns::NamePool& names;
  tls::LeafMint& mint;
  gateway::LinkOpener& scan;
  ledger::Recorder& recorder;
  Patience patience;
};

}  // namespace belljar::proxy
