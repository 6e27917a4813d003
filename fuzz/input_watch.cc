// What a terminal sends: cut anywhere it reads the same, and reports of focus alone are never the user's.
#include "screen/input_watch.h"

#include <algorithm>
#include <cstdint>

#include "base/panic.h"

using belljar::BytesView;
using belljar::screen::InputWatch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  auto step = 1U + data[0] % 16U;
  BytesView whole(data + 1, size - 1);
  InputWatch one;
  InputWatch other;
  bool acted = one.feed(whole);
  bool acted_in_parts = false;
  for (auto rest = whole; !rest.empty();) {
    auto part = rest.first(std::min<std::size_t>(step, rest.size()));
    rest = rest.subspan(part.size());
    acted_in_parts = other.feed(part) || acted_in_parts;
  }
  CHECK(acted == acted_in_parts);
  auto focus = belljar::as_bytes("\x1b[I\x1b[O\x1b[I\x1b[O");
  InputWatch fresh;
  CHECK(!fresh.feed(focus));
  return 0;
}
