// Answering the exchanges of one link: judged again, recorded, carried out at the server.
#pragma once

#include "egress/dialer.h"
#include "egress/upstream.h"
#include "gateway/link.h"
#include "ledger/recorder.h"
#include "policy/policy.h"

namespace belljar::egress {

struct Context {
  const policy::Policy& policy;
  Dialer& dialer;
  Pool& pool;
  ledger::Recorder& recorder;
  rt::Duration stall = std::chrono::minutes(10);  ///< without a byte moving within a message
};

/// Until the asking side closes the link; that also ends what is under way at the server.
void serve_link(Context& context, gateway::Link& link);

}  // namespace belljar::egress
