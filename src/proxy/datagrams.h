// Datagrams: what the jar's packet filter turned away (UDP, IPv6, …), written into the ledger at a bounded
// rate.
#pragma once

#include "ledger/recorder.h"
#include "os/fd.h"

namespace belljar::proxy {

/// `log` is the jar's packet log (jar/denied.h). Serves until it fails or the fiber is cancelled.
Result<void> record_datagrams(os::Fd log, ledger::Recorder& recorder);

}  // namespace belljar::proxy
