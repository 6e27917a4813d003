// The decoder of our own messages: the first byte of the input says how many reads follow, the next ones
// which, the rest is the message. Nothing read may exceed what is there.
#include <cstddef>
#include <cstdint>

#include "wire/codec.h"

using belljar::BytesView;
using belljar::wire::Decoder;

namespace {

bool step(Decoder& decoder, std::uint8_t kind, std::size_t available) {
  switch (kind % 8) {
    case 0:
      return decoder.u8().ok();
    case 1:
      return decoder.u16().ok();
    case 2:
      return decoder.u32().ok();
    case 3:
      return decoder.u64().ok();
    case 4:
      return decoder.boolean().ok();
    case 5: {
      auto text = decoder.text();
      if (text.ok()) CHECK(text->size() <= available);
      return text.ok();
    }
    case 6: {
      auto bytes = decoder.bytes();
      if (bytes.ok()) CHECK(bytes->size() <= available);
      return bytes.ok();
    }
    default: {
      auto count = decoder.count();
      if (count.ok()) CHECK(*count <= available);
      return count.ok();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::size_t steps = data[0];
  if (size < 1 + steps) return 0;
  BytesView message(data + 1 + steps, size - 1 - steps);
  Decoder decoder(message);
  bool good = true;
  for (std::size_t i = 0; i < steps && good; ++i)
    good = step(decoder, data[1 + i], message.size());
  (void)decoder.finish();
  return 0;
}
