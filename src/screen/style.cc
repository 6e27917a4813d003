#include "screen/style.h"

#include <algorithm>
#include <optional>

namespace belljar::screen {

namespace {

std::uint8_t channel(std::uint16_t value) { return static_cast<std::uint8_t>(std::min<int>(value, 255)); }

std::optional<Color> direct(const Sequence& sequence, std::size_t n) {
  return Color::direct(channel(sequence.value(n)), channel(sequence.value(n + 1)),
                       channel(sequence.value(n + 2)));
}

/// The colour behind value `n` (38, 48 or 58), as `2;r;g;b`, `5;index` or with colons as `2::r:g:b` (ITU
/// T.416). `n` moves to the last value that belongs to it.
std::optional<Color> extended_color(const Sequence& sequence, std::size_t& n) {
  auto first = n + 1;
  bool with_colons = sequence.is_sub(first);
  auto kind = sequence.value(first);
  if (!with_colons) {
    n = std::min<std::size_t>(first + (kind == 2 ? 3 : kind == 5 ? 1 : 0), sequence.count);
    if (kind == 2) return direct(sequence, first + 1);
    if (kind == 5) return Color::indexed(channel(sequence.value(first + 1)));
    return std::nullopt;
  }
  auto end = first;
  while (sequence.is_sub(end))
    ++end;
  n = end - 1;
  auto given = end - first;
  if (kind == 5 && given >= 2) return Color::indexed(channel(sequence.value(first + 1)));
  if (kind == 2 && given == 4) return direct(sequence, first + 1);  // without the colour space that few write
  if (kind == 2 && given >= 5) return direct(sequence, first + 2);
  return std::nullopt;
}

void set_underline(const Sequence& sequence, std::size_t& n, Style& style) {
  if (!sequence.is_sub(n + 1)) {
    style.underline = Underline::single;
    return;
  }
  ++n;
  if (sequence.value(n) <= static_cast<int>(Underline::dashed))
    style.underline = static_cast<Underline>(sequence.value(n));
}

/// The values that stand alone; false for others.
bool apply_attribute(std::uint16_t value, Style& style) {
  switch (value) {
    case 1:
      return style.bold = true;
    case 2:
      return style.dim = true;
    case 3:
      return style.italic = true;
    case 5:
    case 6:
      return style.blink = true;
    case 7:
      return style.reverse = true;
    case 8:
      return style.hidden = true;
    case 9:
      return style.strike = true;
    case 53:
      return style.overline = true;
    case 0:
      style = {};
      return true;
    case 21:
      style.underline = Underline::doubled;
      return true;
    case 22:
      style.bold = style.dim = false;
      return true;
    case 23:
      style.italic = false;
      return true;
    case 24:
      style.underline = Underline::none;
      return true;
    case 25:
      style.blink = false;
      return true;
    case 27:
      style.reverse = false;
      return true;
    case 28:
      style.hidden = false;
      return true;
    case 29:
      style.strike = false;
      return true;
    case 39:
      style.foreground = {};
      return true;
    case 49:
      style.background = {};
      return true;
    case 55:
      style.overline = false;
      return true;
    case 59:
      style.underline_color = {};
      return true;
    default:
      return false;
  }
}

void apply_color(std::uint16_t value, Style& style) {
  auto index = [value](int first) { return Color::indexed(static_cast<std::uint8_t>(value - first)); };
  if (value >= 30 && value <= 37) style.foreground = index(30);
  if (value >= 40 && value <= 47) style.background = index(40);
  if (value >= 90 && value <= 97) style.foreground = index(90 - 8);
  if (value >= 100 && value <= 107) style.background = index(100 - 8);
}

void append(std::string& text, int value, char before = ';') {
  text += before;
  text += std::to_string(value);
}

void append_color(std::string& text, Color color, int base) {
  if (color.kind() == Color::Kind::indexed && color.index() < 8) return append(text, base + color.index());
  if (color.kind() == Color::Kind::indexed && color.index() < 16)
    return append(text, base + 60 + color.index() - 8);
  if (color.kind() == Color::Kind::standard) return;
  append(text, base + 8);
  append(text, color.kind() == Color::Kind::indexed ? 5 : 2);
  if (color.kind() == Color::Kind::indexed) return append(text, color.index());
  for (auto part : {color.red(), color.green(), color.blue()})
    append(text, part);
}

void append_underline_color(std::string& text, Color color) {
  if (color.kind() == Color::Kind::standard) return;
  text += color.kind() == Color::Kind::indexed ? ";58:5" : ";58:2:";
  if (color.kind() == Color::Kind::indexed) return append(text, color.index(), ':');
  for (auto part : {color.red(), color.green(), color.blue()})
    append(text, part, ':');
}

}  // namespace

void apply_sgr(const Sequence& sequence, Style& style) {
  if (sequence.count == 0) style = {};
  for (std::size_t n = 0; n < sequence.count; ++n) {
    if (sequence.is_sub(n)) continue;  // of a value that isn't known
    auto value = sequence.value(n);
    if (value == 38 || value == 48 || value == 58) {
      auto color = extended_color(sequence, n);
      if (!color) continue;
      (value == 38 ? style.foreground : value == 48 ? style.background : style.underline_color) = *color;
    } else if (value == 4) {
      set_underline(sequence, n, style);
    } else if (!apply_attribute(value, style)) {
      apply_color(value, style);
    }
  }
}

void append_sgr(std::string& text, const Style& style) {
  text += "\x1b[";
  auto before = text.size();
  if (style.bold) text += ";1";
  if (style.dim) text += ";2";
  if (style.italic) text += ";3";
  if (style.underline == Underline::single) text += ";4";
  if (style.underline > Underline::single) append(text += ";4", static_cast<int>(style.underline), ':');
  if (style.blink) text += ";5";
  if (style.reverse) text += ";7";
  if (style.hidden) text += ";8";
  if (style.strike) text += ";9";
  if (style.overline) text += ";53";
  append_color(text, style.foreground, 30);
  append_color(text, style.background, 40);
  append_underline_color(text, style.underline_color);
  if (text.size() > before) text.insert(before, 1, '0');
  text += 'm';
}

}  // namespace belljar::screen
