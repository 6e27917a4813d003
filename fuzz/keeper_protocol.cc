// What commands and keepers say to each other, and the plan of a jar: any bytes are refused or read, and what
// is read is written as it was.
#include "base/panic.h"
#include "keeper/plan.h"
#include "keeper/protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace belljar;
  BytesView input(data, size);
  if (auto request = keeper::decode_request(input); request.ok()) {
    auto again = keeper::decode_request(keeper::encode(*request));
    CHECK(again.ok() && *again == *request);
  }
  if (auto answer = keeper::decode_answer(input); answer.ok()) {
    auto bytes = keeper::encode(*answer);  // texts may be cut by that, once
    auto again = keeper::decode_answer(bytes);
    CHECK(again.ok() && keeper::encode(*again) == bytes);
  }
  if (auto words = keeper::decode_program_words(input); words.ok())
    CHECK(keeper::decode_program_words(keeper::encode(*words)).value() == *words);
  if (auto plan = keeper::decode_plan(input); plan.ok()) {
    auto bytes = keeper::encode(*plan);
    auto again = keeper::decode_plan(bytes);
    CHECK(again.ok() && keeper::encode(*again) == bytes);
  }
  return 0;
}
