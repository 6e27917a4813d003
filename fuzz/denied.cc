// The decoder of netfilter's log, which carries bytes that a jar has written.
#include "jar/denied.h"

#include <cstdint>

#include "base/panic.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto packet = belljar::jar::decode_denied({data, size});
  if (packet) CHECK(!packet->to_string().empty());
  return 0;
}
