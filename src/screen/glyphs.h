// GlyphTable: the glyphs of a screen that take more than one code point, each once.
//
// A cell holds a code point or a number in this table, so that it stays small. Glyphs that no cell shows any
// more are swept out when the table has grown; its size is bounded by that of the screen.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace belljar::screen {

class GlyphTable {
 public:
  /// Longer glyphs take no more marks.
  static constexpr std::size_t kMostBytes = 32;

  /// The glyph with one more code point; `glyph` itself where it is full.
  std::uint32_t join(std::uint32_t glyph, char32_t code_point);
  void append(std::string& text, std::uint32_t glyph) const;
  [[nodiscard]] static bool is_shared(std::uint32_t glyph) { return (glyph & kShared) != 0; }

  /// Has it grown enough since the last sweep? Then every glyph in use goes through keep() between
  /// begin_sweep() and end_sweep(), which answers its new number.
  [[nodiscard]] bool wants_sweep() const { return texts_.size() >= sweep_at_; }
  void begin_sweep();
  std::uint32_t keep(std::uint32_t glyph);
  void end_sweep();

 private:
  static constexpr std::uint32_t kShared = 1U << 29;
  static constexpr std::size_t kSmallest = 1024;

  std::uint32_t number(std::string text);

  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> swept_;
  std::size_t sweep_at_ = kSmallest;
};

}  // namespace belljar::screen
