// The process belljar-ledger: takes events from its appenders and commits them in groups.
#pragma once

#include "base/result.h"
#include "os/fd.h"

namespace belljar::ledger {

/// An accepted event is on disk at the latest after this.
inline constexpr int kGroupMilliseconds = 100;

/// Serves until the end of the control socket and returns once everything is written. Confines the process
/// after its setup, before it reads from an appender. Where the store can't be opened or written, appends are
/// refused with the reason until it can.
Result<void> serve(os::Fd control);

}  // namespace belljar::ledger
