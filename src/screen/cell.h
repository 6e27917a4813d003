// What stands in one place of a screen: a glyph and how it is drawn.
#pragma once

#include <cstdint>

namespace belljar::screen {

/// A colour as a program names it: the terminal's default, one of 256, or red, green, blue.
class Color {
 public:
  enum class Kind : std::uint8_t { standard, indexed, direct };

  constexpr Color() = default;
  static constexpr Color indexed(std::uint8_t index) { return Color(1U << 24 | index); }
  static constexpr Color direct(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
    return Color(2U << 24 | static_cast<std::uint32_t>(red) << 16 | static_cast<std::uint32_t>(green) << 8 |
                 blue);
  }

  [[nodiscard]] constexpr Kind kind() const { return static_cast<Kind>(bits_ >> 24); }
  [[nodiscard]] constexpr std::uint8_t index() const { return static_cast<std::uint8_t>(bits_); }
  [[nodiscard]] constexpr std::uint8_t red() const { return static_cast<std::uint8_t>(bits_ >> 16); }
  [[nodiscard]] constexpr std::uint8_t green() const { return static_cast<std::uint8_t>(bits_ >> 8); }
  [[nodiscard]] constexpr std::uint8_t blue() const { return static_cast<std::uint8_t>(bits_); }
  bool operator==(const Color&) const = default;

 private:
  explicit constexpr Color(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

enum class Underline : std::uint8_t { none, single, doubled, curly, dotted, dashed };

/// How glyphs are drawn: what SGR sets (ECMA-48 8.3.117, and what terminals added).
struct Style {
  Color foreground;
  Color background;
  Color underline_color;
  Underline underline = Underline::none;
  bool bold : 1 = false;
  bool dim : 1 = false;
  bool italic : 1 = false;
  bool blink : 1 = false;
  bool reverse : 1 = false;
  bool hidden : 1 = false;
  bool strike : 1 = false;
  bool overline : 1 = false;
  bool operator==(const Style&) const = default;
};

/// How many columns a cell takes part in.
enum class Span : std::uint32_t {
  one,
  left_half,   ///< the glyph is two columns wide and begins here
  right_half,  ///< the second column of the glyph to the left
};

/// One place. Its glyph is a code point, or where several code points share it, a number in a GlyphTable.
struct Cell {
  std::uint32_t glyph : 30 = U' ';
  Span span : 2 = Span::one;
  Style style;
  bool operator==(const Cell&) const = default;
};
static_assert(sizeof(Cell) <= 20, "a screen is tens of thousands of these");

}  // namespace belljar::screen
