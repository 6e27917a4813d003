// Modes that programs switch on and off: SM, RM, DECSET, DECRST.
#include "screen/terminal.h"

namespace belljar::screen {

void Screen::Terminal::switch_modes(const Sequence& sequence, bool on) {
  for (std::size_t n = 0; n < sequence.count; ++n) {
    auto number = sequence.value(n);
    if (sequence.prefix == '?')
      switch_private_mode(number, on);
    else if (number == 4)
      modes_.insert = on;
    else if (number == 20)
      modes_.newline = on;
  }
}

void Screen::Terminal::switch_private_mode(std::uint16_t number, bool on) {
  for (const auto& mode : kNamedModes)
    if (mode.number == number) modes_.*mode.value = on;
  if (is_mouse_mode(number)) modes_.mouse = on ? number : 0;
  if (is_mouse_coding(number)) modes_.mouse_coding = on ? number : 0;
  switch (number) {
    case 6:
      modes_.origin = on;
      return move_within_origin(0, 0);
    case 7:
      pen_.wraps_next = pen_.wraps_next && on;
      return;
    case 47:
    case 1047:
      return show_alternate(on, false);
    case 1048:
      return on ? save_pen() : restore_pen();
    case 1049:
      return show_alternate(on, true);
    default:
      return;
  }
}

/// The alternate screen is new each time. `with_pen`: the cursor is saved before and restored after it.
void Screen::Terminal::show_alternate(bool on, bool with_pen) {
  if (on && with_pen && !alternate_) save_pen();
  if (on && !alternate_) pages_[1] = {.grid = Grid(size_.rows, size_.columns), .saved = {}, .keyboard = {}};
  alternate_ = on;
  if (!on && with_pen) restore_pen();
}

}  // namespace belljar::screen
