// The terminal model: any output, cut anywhere, any sizes. What a screen redraws is itself, now and after the
// same output more; its memory is bounded by its size.
#include "screen/screen.h"

#include <algorithm>
#include <cstdint>

#include "base/panic.h"

using belljar::BytesView;
using belljar::screen::Screen;
using belljar::screen::Size;

namespace {

/// Ends whatever is under way, and what a redraw can't restore: the last glyph, and titles that were pushed.
constexpr std::string_view kEnd = "\x18\x1b]2;title\x1b\\";

Size size_from(std::uint8_t rows, std::uint8_t columns) {
  return {.rows = static_cast<std::uint16_t>(1 + rows % 40),
          .columns = static_cast<std::uint16_t>(1 + columns % 90)};
}

void check_redraw(Screen& screen, BytesView more) {
  screen.feed(belljar::as_bytes(kEnd));
  Screen twin(size_from(3, 7));
  twin.feed(belljar::as_bytes("\x1b[?1049h\x1b[2;2r\x1b[31mrubbish\x1b[?6h\x1b(0\x1b[>5u\x1b[4h"));
  twin.resize(screen.size());
  twin.feed(screen.redraw());
  CHECK(twin.dump() == screen.dump());
  for (auto* one : {&screen, &twin}) {
    one->feed(more);
    one->feed(belljar::as_bytes(kEnd));
  }
  CHECK(twin.dump() == screen.dump());
}

/// A terminal of another size is asked nothing by a view, and led back from it by a redraw.
void check_view(const Screen& screen) {
  Screen other(size_from(7, 11));
  other.feed(screen.view(other.size(), true));
  other.feed(screen.view(other.size(), false));
  CHECK(other.take_answers().empty() && other.alternate() == screen.alternate());
  other.resize(screen.size());
  other.feed(screen.redraw());
  CHECK(other.dump() == screen.dump());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  belljar::screen::Limits limits{.scrollback = 20000};
  Screen screen(size_from(data[0], data[1]), limits);
  auto step = 1U + data[2] % 64U;
  BytesView rest(data + 3, size - 3);
  while (!rest.empty()) {
    auto part = rest.first(std::min<std::size_t>(step, rest.size()));
    rest = rest.subspan(part.size());
    screen.feed(part);
    // 0xff is never part of a character: here it asks for a new size.
    auto mark = std::find(part.begin(), part.end(), std::uint8_t{0xFF});
    if (part.end() - mark > 2) screen.resize(size_from(mark[1], mark[2]));
    CHECK(screen.take_answers().size() <= limits.answers);
  }
  check_redraw(screen, BytesView(data, size).last(size / 2));
  check_view(screen);
  CHECK(screen.scrollback().end() - screen.scrollback().begin() <= limits.scrollback + (16U << 10));
  (void)screen.farewell();
  (void)screen.redraw(4096);
  return 0;
}
