// What programs switch on a terminal, besides the cells: the part of a Screen that redraw() restores in one
// go.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "screen/cell.h"

namespace belljar::screen {

/// The modes that are simply on or off. Numbers: DEC private modes, as in CSI ? n h.
struct Modes {
  bool application_cursor = false;  ///< 1
  bool reverse_screen = false;      ///< 5
  bool autowrap = true;             ///< 7
  bool cursor_blinks = false;       ///< 12
  bool cursor_visible = true;       ///< 25
  bool application_keypad = false;  ///< 66
  bool reports_focus = false;       ///< 1004
  bool scrolls_by_keys = false;     ///< 1007
  bool brackets_paste = false;      ///< 2004
  bool drawing = false;             ///< 2026
  bool origin = false;              ///< 6
  bool insert = false;              ///< ANSI mode 4
  bool newline = false;             ///< ANSI mode 20
  std::uint16_t mouse = 0;          ///< 9, 1000, 1002, 1003 or none
  std::uint16_t mouse_coding = 0;   ///< 1005, 1006, 1015, 1016 or none
  std::uint16_t other_keys = 0;     ///< xterm's modifyOtherKeys
  std::uint16_t cursor_shape = 0;   ///< DECSCUSR
  bool operator==(const Modes&) const = default;
};

/// The private modes of Modes that have nothing but their value.
struct NamedMode {
  std::uint16_t number;
  bool Modes::*value;
};
constexpr std::array<NamedMode, 10> kNamedModes{{
    {1, &Modes::application_cursor},
    {5, &Modes::reverse_screen},
    {7, &Modes::autowrap},
    {12, &Modes::cursor_blinks},
    {25, &Modes::cursor_visible},
    {66, &Modes::application_keypad},
    {1004, &Modes::reports_focus},
    {1007, &Modes::scrolls_by_keys},
    {2004, &Modes::brackets_paste},
    {2026, &Modes::drawing},
}};

/// The most that REP repeats, so that few bytes don't cost much.
constexpr std::size_t kMostRepeats = 1000;

constexpr bool is_mouse_mode(std::uint16_t number) {
  return number == 9 || number == 1000 || number == 1002 || number == 1003;
}
constexpr bool is_mouse_coding(std::uint16_t number) {
  return number == 1005 || number == 1006 || number == 1015 || number == 1016;
}

/// Kitty's keyboard protocol: flags, and those that were pushed below them.
class KeyboardFlags {
 public:
  static constexpr std::size_t kMostPushed = 8;  ///< the oldest is dropped, as kitty does

  [[nodiscard]] std::uint16_t current() const { return flags_.back(); }
  [[nodiscard]] const std::vector<std::uint16_t>& all() const { return flags_; }
  void push(std::uint16_t flags);
  void pop(std::size_t count);
  /// 1 sets all flags, 2 adds these, 3 takes these away.
  void change(std::uint16_t flags, std::uint16_t how);

 private:
  static constexpr std::uint16_t kKnown = 31;
  std::vector<std::uint16_t> flags_{0};
};

/// Which characters G0 and G1 hold, and which of them is in use.
struct Charsets {
  std::array<bool, 2> draws_lines{};  ///< DEC special graphics rather than ASCII
  std::uint8_t in_use = 0;
  [[nodiscard]] bool draw_lines() const { return draws_lines[in_use]; }
  bool operator==(const Charsets&) const = default;
};

/// Where the next glyph goes, and how it looks: what DECSC saves.
struct Pen {
  std::uint16_t row = 0;
  std::uint16_t column = 0;
  bool wraps_next = false;
  bool origin = false;
  Charsets charsets;
  Style style;
  bool operator==(const Pen&) const = default;
};

/// Colours that a program has set: by index (OSC 4), or 256 + n for OSC 10 + n.
using Palette = std::map<std::uint16_t, std::uint32_t>;
constexpr std::uint16_t kDynamicColors = 256;
/// OSC 10, 11 and 12: text, background, cursor.
constexpr std::uint16_t kDynamicColorCount = 3;

/// The DEC special graphics character for an ASCII one.
char32_t line_drawing(char ascii);

}  // namespace belljar::screen
