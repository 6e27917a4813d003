// Controls, escape and control sequences: what each does to the screen.
#include <algorithm>

#include "screen/style.h"
#include "screen/terminal.h"

namespace belljar::screen {

namespace {

constexpr std::size_t kMostTitles = 10;

}  // namespace

void Screen::Terminal::control(std::uint8_t code) {
  last_glyph_.reset();
  joiner_ = false;
  switch (code) {
    case '\b':
      return move(pen_.row, pen_.column - 1);
    case '\t':
      return tab(1);
    case '\n':
    case '\v':
    case '\f':
      line_feed();
      if (modes_.newline) pen_.column = 0;
      return;
    case '\r':
      return move(pen_.row, 0);
    case 0x0E:
      pen_.charsets.in_use = 1;
      return;
    case 0x0F:
      pen_.charsets.in_use = 0;
      return;
    default:
      return;
  }
}

void Screen::Terminal::escape(char intermediate, char final) {
  last_glyph_.reset();
  joiner_ = false;
  if (intermediate == '(' || intermediate == ')') {
    pen_.charsets.draws_lines[intermediate == '(' ? 0 : 1] = final == '0';
    return;
  }
  if (intermediate == '#' && final == '8') {  // DECALN
    top_ = 0;
    bottom_ = size_.rows;
    move(0, 0);
    for (std::size_t row = 0; row < size_.rows; ++row) {
      grid().erase(row, 0, size_.columns, {});
      grid().write(row, 0, std::string(size_.columns, 'E'), {});
    }
    return;
  }
  if (intermediate != 0) return;
  switch (final) {
    case '7':
      return save_pen();
    case '8':
      return restore_pen();
    case '=':
      modes_.application_keypad = true;
      return;
    case '>':
      modes_.application_keypad = false;
      return;
    case 'D':
      return line_feed();
    case 'E':
      line_feed();
      pen_.column = 0;
      return;
    case 'H':
      tabs_[pen_.column] = true;
      return;
    case 'M':
      return reverse_line_feed();
    case 'c':
      return reset();
    default:
      return;
  }
}

void Screen::Terminal::sequence(const Sequence& sequence) {
  if (sequence.signature() == signature(0, 0, 'b')) return repeat(sequence.times());
  last_glyph_.reset();
  joiner_ = false;
  if (sequence.signature() == signature(0, 0, 'm')) return apply_sgr(sequence, pen_.style);
  if (moving_sequence(sequence) || editing_sequence(sequence)) return;
  other_sequence(sequence);
}

bool Screen::Terminal::moving_sequence(const Sequence& sequence) {
  std::int32_t times = sequence.times();
  switch (sequence.signature()) {
    case signature(0, 0, 'A'):
      move_rows(-times);
      return true;
    case signature(0, 0, 'B'):
    case signature(0, 0, 'e'):
      move_rows(times);
      return true;
    case signature(0, 0, 'C'):
    case signature(0, 0, 'a'):
      move(pen_.row, pen_.column + times);
      return true;
    case signature(0, 0, 'D'):
      move(pen_.row, pen_.column - times);
      return true;
    case signature(0, 0, 'E'):
      move_rows(times);
      pen_.column = 0;
      return true;
    case signature(0, 0, 'F'):
      move_rows(-times);
      pen_.column = 0;
      return true;
    case signature(0, 0, 'G'):
    case signature(0, 0, '`'):
      move(pen_.row, times - 1);
      return true;
    case signature(0, 0, 'H'):
    case signature(0, 0, 'f'):
      move_within_origin(times - 1, sequence.times(1) - 1);
      return true;
    case signature(0, 0, 'd'):
      move_within_origin(times - 1, pen_.column);
      return true;
    case signature(0, 0, 'I'):
      tab(times);
      return true;
    case signature(0, 0, 'Z'):
      tab(-times);
      return true;
    case signature(0, 0, 's'):
      save_pen();
      return true;
    case signature(0, 0, 'u'):
      restore_pen();
      return true;
    default:
      return false;
  }
}

/// From where things are erased: where the cursor waits behind the last column, that column stays. (Terminals
/// disagree; programs that write whole lines and then erase the rest rely on it.)
std::size_t Screen::Terminal::erase_from() const { return pen_.column + (pen_.wraps_next ? 1U : 0U); }

bool Screen::Terminal::editing_sequence(const Sequence& sequence) {
  auto background = pen_.style.background;
  std::size_t times = sequence.times();
  switch (sequence.signature()) {
    case signature(0, 0, 'J'):
      erase_in_display(sequence.value(0));
      return true;
    case signature(0, 0, 'K'):
      erase_in_line(sequence.value(0));
      return true;
    case signature(0, 0, 'X'):
      grid().erase(pen_.row, erase_from(), erase_from() + times, background);
      return true;
    case signature(0, 0, '@'):
      if (!pen_.wraps_next) grid().insert(pen_.row, pen_.column, times, background);
      return true;
    case signature(0, 0, 'P'):
      if (!pen_.wraps_next) grid().remove(pen_.row, pen_.column, times, background);
      return true;
    case signature(0, 0, 'L'):
    case signature(0, 0, 'M'):
      insert_or_delete_lines(sequence);
      return true;
    case signature(0, 0, 'S'):
      scroll_up(times);
      return true;
    case signature(0, 0, 'T'):
      if (sequence.count <= 1) scroll_down(times);  // more values: highlight mouse tracking
      return true;
    default:
      return false;
  }
}

void Screen::Terminal::other_sequence(const Sequence& sequence) {
  switch (sequence.signature()) {
    case signature(0, 0, 'c'):
    case signature('>', 0, 'c'):
    case signature('>', 0, 'q'):
    case signature(0, 0, 'n'):
    case signature('?', 0, 'n'):
    case signature('?', 0, 'u'):
    case signature('?', 0, 'm'):
      return report_status(sequence);
    case signature(0, '$', 'p'):
    case signature('?', '$', 'p'):
      return report_mode(sequence);
    case signature(0, 0, 'g'):
      return clear_tabs(sequence.value(0));
    case signature(0, 0, 'h'):
    case signature('?', 0, 'h'):
      return switch_modes(sequence, true);
    case signature(0, 0, 'l'):
    case signature('?', 0, 'l'):
      return switch_modes(sequence, false);
    case signature(0, '!', 'p'):
      return soft_reset();
    case signature(0, ' ', 'q'):
      if (sequence.value(0) <= 6) modes_.cursor_shape = sequence.value(0);
      return;
    case signature(0, 0, 'r'):
      return set_margins(sequence);
    case signature('>', 0, 'm'):
      if (sequence.value(0, 4) == 4) modes_.other_keys = std::min<std::uint16_t>(sequence.value(1), 2);
      return;
    case signature('>', 0, 'u'):
    case signature('<', 0, 'u'):
    case signature('=', 0, 'u'):
      return change_keyboard(sequence);
    case signature(0, 0, 't'):
      return window_operation(sequence);
    default:
      return;
  }
}

void Screen::Terminal::erase_in_display(std::uint16_t what) {
  auto background = pen_.style.background;
  if (what == 0) {
    grid().erase(pen_.row, erase_from(), size_.columns, background);
    grid().erase_rows(pen_.row + 1U, size_.rows, background);
  } else if (what == 1) {
    grid().erase_rows(0, pen_.row, background);
    grid().erase(pen_.row, 0, pen_.column + 1U, background);
  } else if (what == 2) {
    grid().erase_rows(0, size_.rows, background);
  } else if (what == 3) {
    scrollback_.clear();
    scrollback_open_ = false;
  }
}

void Screen::Terminal::erase_in_line(std::uint16_t what) {
  if (what > 2) return;
  std::size_t from = what == 0 ? erase_from() : 0;
  std::size_t to = what == 1 ? pen_.column + 1U : size_.columns;
  grid().erase(pen_.row, from, to, pen_.style.background);
}

void Screen::Terminal::insert_or_delete_lines(const Sequence& sequence) {
  if (pen_.row < top_ || pen_.row >= bottom_) return;
  auto background = pen_.style.background;
  if (sequence.final == 'L')
    grid().scroll_down(pen_.row, bottom_, sequence.times(), background);
  else
    grid().scroll_up(pen_.row, bottom_, sequence.times(), background);
  move(pen_.row, 0);
}

void Screen::Terminal::repeat(std::size_t count) {
  if (!last_glyph_) return;
  auto glyph = *last_glyph_;
  for (count = std::min<std::size_t>(count, kMostRepeats); count > 0; --count)
    put(glyph, last_is_wide_);
}

void Screen::Terminal::set_margins(const Sequence& sequence) {
  std::int32_t top = sequence.times(0) - 1;
  std::int32_t bottom =
      sequence.value(1) == 0 ? size_.rows : std::min<std::int32_t>(sequence.value(1), size_.rows);
  if (top + 1 >= bottom) return;  // at least two rows
  top_ = static_cast<std::uint16_t>(top);
  bottom_ = static_cast<std::uint16_t>(bottom);
  move_within_origin(0, 0);
}

void Screen::Terminal::clear_tabs(std::uint16_t what) {
  if (what == 0) tabs_[pen_.column] = false;
  if (what == 3) tabs_.assign(tabs_.size(), false);
}

void Screen::Terminal::change_keyboard(const Sequence& sequence) {
  auto& keyboard = page().keyboard;
  if (sequence.prefix == '>') keyboard.push(sequence.value(0));
  if (sequence.prefix == '<') keyboard.pop(sequence.times());
  if (sequence.prefix == '=') keyboard.change(sequence.value(0), sequence.value(1, 1));
}

void Screen::Terminal::window_operation(const Sequence& sequence) {
  auto what = sequence.value(1);
  switch (sequence.value(0)) {
    case 18:
      return answer("\x1b[8;" + std::to_string(size_.rows) + ";" + std::to_string(size_.columns) + "t");
    case 22:
      if (what != 0 && what != 2) return;
      titles_.push_back(title_);
      if (titles_.size() > kMostTitles) titles_.erase(titles_.begin());
      return;
    case 23:
      if ((what != 0 && what != 2) || titles_.empty()) return;
      title_ = std::move(titles_.back());
      titles_.pop_back();
      return;
    default:
      return;
  }
}

}  // namespace belljar::screen
