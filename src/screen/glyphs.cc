#include "screen/glyphs.h"

#include <algorithm>
#include <utility>

#include "screen/utf8.h"

namespace belljar::screen {

std::uint32_t GlyphTable::join(std::uint32_t glyph, char32_t code_point) {
  std::string text;
  append(text, glyph);
  append_utf8(text, code_point);
  return text.size() > kMostBytes ? glyph : number(std::move(text));
}

void GlyphTable::append(std::string& text, std::uint32_t glyph) const {
  if (glyph < 0x80)
    text += static_cast<char>(glyph);
  else if (is_shared(glyph))
    text += texts_[glyph & ~kShared];
  else
    append_utf8(text, glyph);
}

std::uint32_t GlyphTable::number(std::string text) {
  auto [found, is_new] = numbers_.try_emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(found->first);
  return found->second | kShared;
}

void GlyphTable::begin_sweep() {
  swept_ = std::exchange(texts_, {});
  numbers_.clear();
}

std::uint32_t GlyphTable::keep(std::uint32_t glyph) {
  return is_shared(glyph) ? number(swept_[glyph & ~kShared]) : glyph;
}

void GlyphTable::end_sweep() {
  swept_ = {};
  sweep_at_ = std::max(kSmallest, 2 * texts_.size());
}

}  // namespace belljar::screen
