#include <algorithm>

#include "ledger/event.h"
#include "ledger/json.h"
#include "ledger/printable.h"
#include "ledger/protocol.h"

using namespace belljar;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  BytesView view(bytes, size);
  if (auto event = ledger::decode(view)) {
    auto again = ledger::encode(*event);
    CHECK(std::equal(again.begin(), again.end(), view.begin(), view.end()));
    CHECK(ledger::to_json({.event = *event}).find('\n') == std::string::npos);
  }
  if (auto append = ledger::decode_append(view)) CHECK(ledger::decode(append->event).ok());
  (void)ledger::decode_control(view);
  auto printable = ledger::make_printable(as_text(view), 64);
  CHECK(printable.size() <= 64 && ledger::is_printable(printable));
  return 0;
}
