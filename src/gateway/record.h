// Record: where the processes of a gateway write down what they decide, before it takes effect (I10).
#pragma once

#include "base/result.h"
#include "ledger/event.h"

namespace belljar::gateway {

class Record {
 public:
  virtual ~Record() = default;
  /// Returns once the ledger has acknowledged the event as `durability` asks. A failure means that what the
  /// event says must not happen: nothing leaves unrecorded.
  virtual Result<void> append(const ledger::Event& event, ledger::Durability durability) = 0;
};

}  // namespace belljar::gateway
