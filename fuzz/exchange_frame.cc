// Frames of an exchange: any bytes are refused or read, and what is read is written as it was.
#include "base/panic.h"
#include "gateway/exchange.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace belljar;
  if (size < gateway::kFrameHeader) return 0;
  BytesView input(data, size);
  auto header = gateway::decode_header(input.first(gateway::kFrameHeader));
  if (!header.ok()) return 0;
  // The length is the harness's: what follows is the payload.
  header->length = static_cast<std::uint32_t>(size - gateway::kFrameHeader);
  auto frame = gateway::decode_payload(*header, input.subspan(gateway::kFrameHeader));
  if (!frame.ok()) return 0;
  auto bytes = gateway::encode(*frame);
  auto again =
      gateway::decode_payload(gateway::decode_header(BytesView(bytes).first(gateway::kFrameHeader)).value(),
                              BytesView(bytes).subspan(gateway::kFrameHeader));
  CHECK(again.ok() && *again == *frame);
  return 0;
}
