// How many columns a code point takes on a terminal (Unicode 15, as the C library's wcwidth counts).
#pragma once

namespace belljar::screen {

/// 0 (joins the glyph before it), 1 or 2. Not for control characters.
int width_of(char32_t code_point);

constexpr char32_t kZeroWidthJoiner = 0x200D;

}  // namespace belljar::screen
