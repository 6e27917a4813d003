#include "screen/modes.h"

#include <algorithm>

namespace belljar::screen {

void KeyboardFlags::push(std::uint16_t flags) {
  flags_.push_back(flags & kKnown);
  if (flags_.size() > kMostPushed + 1) flags_.erase(flags_.begin());
}

void KeyboardFlags::pop(std::size_t count) {
  auto left = flags_.size() - std::min(count, flags_.size());
  flags_.resize(std::max<std::size_t>(left, 1));
  if (left == 0) flags_[0] = 0;
}

void KeyboardFlags::change(std::uint16_t flags, std::uint16_t how) {
  flags &= kKnown;
  auto& current = flags_.back();
  if (how == 1) current = flags;
  if (how == 2) current |= flags;
  if (how == 3) current &= static_cast<std::uint16_t>(~flags);
}

char32_t line_drawing(char ascii) {
  // DEC STD 070, as every terminal draws them; 0x60 … 0x7e.
  static constexpr char32_t kDrawn[] = U"◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";
  return ascii >= 0x60 && ascii <= 0x7E ? kDrawn[ascii - 0x60] : static_cast<char32_t>(ascii);
}

}  // namespace belljar::screen
