// Questions of programs, answered as this terminal and never by a host's: what it is, where its cursor is,
// what is switched on. None of the answers holds text that a program chose.
#include <algorithm>

#include "screen/payload.h"
#include "screen/style.h"
#include "screen/terminal.h"

namespace belljar::screen {

namespace {

constexpr std::string_view kStringEnd = "\x1b\\";

}  // namespace

void Screen::Terminal::answer(std::string_view text) {
  if (answers_.size() + text.size() > limits_.answers) return;  // who doesn't read needs no more
  answers_.insert(answers_.end(), text.begin(), text.end());
}

void Screen::Terminal::report_status(const Sequence& sequence) {
  auto position = [this] {
    told_position_ = true;
    int row = modes_.origin ? pen_.row - top_ : pen_.row;
    return std::to_string(row + 1) + ";" + std::to_string(pen_.column + 1);
  };
  switch (sequence.signature()) {
    case signature(0, 0, 'c'):  // DA1: a VT220 with ANSI colour
      if (sequence.value(0) == 0) answer("\x1b[?62;22c");
      return;
    case signature('>', 0, 'c'):  // DA2
      if (sequence.value(0) == 0) answer("\x1b[>1;10;0c");
      return;
    case signature('>', 0, 'q'):  // XTVERSION
      if (sequence.value(0) == 0) answer("\x1bP>|belljar" + std::string(kStringEnd));
      return;
    case signature(0, 0, 'n'):
      if (sequence.value(0) == 5) answer("\x1b[0n");
      if (sequence.value(0) == 6) answer("\x1b[" + position() + "R");
      return;
    case signature('?', 0, 'n'):
      if (sequence.value(0) == 6) answer("\x1b[?" + position() + "R");
      return;
    case signature('?', 0, 'u'):
      return answer("\x1b[?" + std::to_string(page().keyboard.current()) + "u");
    case signature('?', 0, 'm'):
      if (sequence.value(0) == 4) answer("\x1b[>4;" + std::to_string(modes_.other_keys) + "m");
      return;
    default:
      return;
  }
}

/// DECRPM's second value: 1 on, 2 off, 0 not known here.
int Screen::Terminal::mode_state(std::uint16_t number) const {
  auto state = [](bool on) { return on ? 1 : 2; };
  for (const auto& mode : kNamedModes)
    if (mode.number == number) return state(modes_.*mode.value);
  if (is_mouse_mode(number)) return state(modes_.mouse == number);
  if (is_mouse_coding(number)) return state(modes_.mouse_coding == number);
  if (number == 6) return state(modes_.origin);
  if (number == 47 || number == 1047 || number == 1049) return state(alternate_);
  return 0;
}

void Screen::Terminal::report_mode(const Sequence& sequence) {
  auto number = sequence.value(0);
  bool is_private = sequence.prefix == '?';
  int state = is_private     ? mode_state(number)
              : number == 4  ? (modes_.insert ? 1 : 2)
              : number == 20 ? (modes_.newline ? 1 : 2)
                             : 0;
  answer(std::string("\x1b[") + (is_private ? "?" : "") + std::to_string(number) + ";" +
         std::to_string(state) + "$y");
}

void Screen::Terminal::report_color(std::string_view number, std::uint16_t color, std::uint32_t standard) {
  auto set = palette_.find(color);
  answer("\x1b]" + std::string(number) + ";" + color_text(set != palette_.end() ? set->second : standard) +
         std::string(kStringEnd));
}

/// DECRQSS (what is set) and XTGETTCAP (what terminfo would say): ESC P $ q … and ESC P + q ….
void Screen::Terminal::device_control(std::string_view payload) {
  last_glyph_.reset();
  joiner_ = false;
  if (payload == "$qm") {
    std::string style;
    append_sgr(style, pen_.style);
    auto values = style.substr(2);
    return answer("\x1bP1$r" + (values == "m" ? "0m" : values) + std::string(kStringEnd));
  }
  if (payload == "$qr")
    return answer("\x1bP1$r" + std::to_string(top_ + 1) + ";" + std::to_string(bottom_) + "r" +
                  std::string(kStringEnd));
  if (payload == "$q q")
    return answer("\x1bP1$r" + std::to_string(modes_.cursor_shape) + " q" + std::string(kStringEnd));
  if (payload.substr(0, 2) == "$q") return answer("\x1bP0$r" + std::string(kStringEnd));
  if (payload.substr(0, 2) == "+q") return answer("\x1bP0+r" + std::string(kStringEnd));
}

}  // namespace belljar::screen
