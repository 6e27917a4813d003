// The output filter: whatever passes is bounded, draws the screen that the model has, holds no 8-bit control,
// makes no terminal answer, and passes a second filter unchanged.
#include "screen/output_filter.h"

#include <algorithm>
#include <cstdint>

#include "base/panic.h"
#include "screen/screen.h"

using belljar::Bytes;
using belljar::BytesView;
using belljar::screen::OutputFilter;
using belljar::screen::Screen;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  belljar::screen::OutputPolicy policy{.clipboard = belljar::screen::Clipboard::on, .clipboard_bytes = 300};
  OutputFilter filter(policy);
  OutputFilter second(policy);
  Screen model({.rows = 9, .columns = 23});
  Screen host({.rows = 9, .columns = 23});
  auto step = 1U + data[0] % 64U;
  BytesView rest(data + 1, size - 1);
  Bytes all;
  while (!rest.empty()) {
    auto part = rest.first(std::min<std::size_t>(step, rest.size()));
    rest = rest.subspan(part.size());
    Bytes shown;
    filter.feed(part, shown);
    model.feed(part);
    host.feed(shown);
    all.insert(all.end(), shown.begin(), shown.end());
  }
  CHECK(host.dump() == model.dump());
  CHECK(host.take_answers().empty());
  CHECK(all.size() <= 40 * size + 4096);
  Bytes again;
  second.feed(all, again);
  // A NUL parts texts and is not needed twice.
  std::erase(all, std::uint8_t{0});
  std::erase(again, std::uint8_t{0});
  CHECK(all == again);
  return 0;
}
