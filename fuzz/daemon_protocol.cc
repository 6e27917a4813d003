// What belljard, its clients and its own two processes say to each other: any bytes are refused or read, and
// what is read is written as it was.
#include "base/panic.h"
#include "daemon/order.h"
#include "daemon/protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace belljar;
  BytesView input(data, size);
  if (auto request = daemon::decode_request(input); request.ok())
    CHECK(daemon::decode_request(daemon::encode(*request)).value() == *request);
  if (auto answer = daemon::decode_answer(input); answer.ok()) {
    auto bytes = daemon::encode(*answer);  // texts may be cut by that, once
    auto again = daemon::decode_answer(bytes);
    CHECK(again.ok() && daemon::encode(*again) == bytes);
  }
  if (auto order = daemon::decode_order(input); order.ok())
    CHECK(daemon::decode_order(daemon::encode(*order)).value() == *order);
  if (auto delivery = daemon::decode_delivery(input); delivery.ok())
    CHECK(daemon::decode_delivery(daemon::encode(*delivery)).value() == *delivery);
  return 0;
}
