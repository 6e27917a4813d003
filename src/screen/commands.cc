// Operating system commands: titles and colours. The rest, clipboard and links among it, is none of the
// screen's.
#include <algorithm>
#include <charconv>

#include "screen/payload.h"
#include "screen/terminal.h"
#include "screen/utf8.h"

namespace belljar::screen {

namespace {

/// The default of xterm's 256 colours, as red·2¹⁶ + green·2⁸ + blue.
std::uint32_t standard_color(std::uint16_t index) {
  static constexpr std::uint32_t kFirst[16] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
                                               0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
                                               0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};
  if (index < 16) return kFirst[index];
  if (index >= 232) return (8U + 10U * (index - 232U)) * 0x010101U;
  auto level = [](unsigned step) { return step == 0 ? 0U : 55U + 40U * step; };
  auto cube = index - 16U;
  return level(cube / 36) << 16 | level(cube / 6 % 6) << 8 | level(cube % 6);
}

}  // namespace

void Screen::Terminal::command(std::string_view payload) {
  last_glyph_.reset();
  joiner_ = false;
  auto end = payload.find(';');
  auto number = payload.substr(0, end);
  auto rest = end == std::string_view::npos ? std::string_view() : payload.substr(end + 1);
  if (number == "0" || number == "2") {
    title_ = clean_title(rest, limits_.title);
  } else if (number == "4") {
    set_palette(rest);
  } else if (number == "104") {
    reset_palette(rest);
  } else if (number == "10" || number == "11" || number == "12") {
    set_colors(static_cast<std::uint16_t>(number[1] - '0'), rest);
  } else if (number == "110" || number == "111" || number == "112") {
    palette_.erase(static_cast<std::uint16_t>(kDynamicColors + (number[2] - '0')));
  }
}

/// OSC 10 and those after it: each value sets, or with `?` asks for, the next one.
void Screen::Terminal::set_colors(std::uint16_t which, std::string_view values) {
  for_each_field(values, [&](std::string_view value) {
    if (which >= kDynamicColorCount) return;
    auto color = static_cast<std::uint16_t>(kDynamicColors + which);
    if (value == "?")
      report_color(std::to_string(10 + which), color,
                   which == 1 ? host_colors_.background : host_colors_.foreground);
    else if (auto parsed = parse_color(value))
      palette_[color] = *parsed;
    ++which;
  });
}

/// OSC 4: pairs of index and value.
void Screen::Terminal::set_palette(std::string_view pairs) {
  std::optional<std::uint16_t> index;
  bool is_index = true;
  for_each_field(pairs, [&](std::string_view field) {
    if (is_index) {
      index = parse_index(field);
    } else if (index) {
      if (field == "?")
        report_color("4;" + std::to_string(*index), *index, standard_color(*index));
      else if (auto parsed = parse_color(field))
        palette_[*index] = *parsed;
    }
    is_index = !is_index;
  });
}

void Screen::Terminal::reset_palette(std::string_view indexes) {
  if (indexes.empty()) {
    palette_.erase(palette_.begin(), palette_.lower_bound(kDynamicColors));
    return;
  }
  for_each_field(indexes, [this](std::string_view field) {
    if (auto index = parse_index(field)) palette_.erase(*index);
  });
}

}  // namespace belljar::screen
