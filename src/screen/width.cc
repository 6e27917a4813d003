#include "screen/width.h"

#include <algorithm>
#include <iterator>

namespace belljar::screen {

namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// clang-format off
#include "screen/width_table.inc"
// clang-format on

template <std::size_t count>
bool holds(const Range (&ranges)[count], char32_t code_point) {
  const auto* after =
      std::upper_bound(std::begin(ranges), std::end(ranges), code_point,
                       [](char32_t wanted, const Range& range) { return wanted < range.first; });
  return after != std::begin(ranges) && code_point <= std::prev(after)->last;
}

}  // namespace

int width_of(char32_t code_point) {
  if (code_point < kZeroWidth[0].first) return 1;
  if (holds(kZeroWidth, code_point)) return 0;
  return holds(kWide, code_point) ? 2 : 1;
}

}  // namespace belljar::screen
