// From a screen's state to the bytes that bring a terminal into it.
#include <algorithm>

#include "screen/output_filter.h"
#include "screen/payload.h"
#include "screen/style.h"
#include "screen/terminal.h"

namespace belljar::screen {

namespace {

/// Every mode as at a terminal's start, whatever it is in now, and the main screen. Both screens' keyboard
/// protocols are reset, as they are kept apart. What a terminal doesn't know it passes over.
constexpr std::string_view kMainScreen = "\x1b[?2026l\x1b[?1049h\x1b[<99u\x1b[=0;1u\x1b[?1049l";
constexpr std::string_view kResetModes =
    "\x1b[!p\x1b[<99u\x1b[=0;1u\x1b[>4;0m"
    "\x1b[?7h\x1b[?25h\x1b[?1;5;6;9;12;66;1000;1002;1003;1005;1006;1015;1016;1004;1007;2004l\x1b[4l\x1b[20l"
    "\x1b>\x1b[0 q\x1b(B\x1b)B\x0f\x1b[r\x1b[m";
std::string whole_reset() { return std::string(kMainScreen).append(kResetModes); }

std::string set_private(unsigned number) { return "\x1b[?" + std::to_string(number) + "h"; }

/// Moves there; rows and columns from 0, with origin mode off or margins that are those of the screen.
std::string move_to(std::size_t row, std::size_t column) {
  return "\x1b[" + std::to_string(row + 1) + ";" + std::to_string(column + 1) + "H";
}

/// Writes cells one after the other, with a style change where one is needed.
class CellWriter {
 public:
  CellWriter(std::string& text, const GlyphTable& glyphs) : text_(text), glyphs_(glyphs) {}

  void write(const Cell& cell) {
    if (cell.span == Span::right_half) return;
    if (cell.style != style_) append_sgr(text_, style_ = cell.style);
    glyphs_.append(text_, cell.glyph);
  }
  /// Keeps what comes next from being joined to the last glyph, and moves nothing.
  void separate() { append_sgr(text_, style_); }
  void finish() {
    if (style_ != Style{}) append_sgr(text_, style_ = {});
  }

 private:
  std::string& text_;
  const GlyphTable& glyphs_;
  Style style_;
};

/// Terminals disagree about the width of anything but letters and lines: after such a glyph the next one is
/// placed.
bool is_of_doubtful_width(const Cell& cell) {
  bool is_line = cell.glyph >= 0x2500 && cell.glyph < 0x25A0;
  return cell.glyph >= 0x1100 && !is_line;
}

void append_page(std::string& text, const Grid& grid, const GlyphTable& glyphs) {
  CellWriter writer(text, glyphs);
  for (std::size_t n = 0; n < grid.rows(); ++n) {
    const auto& row = grid.row(n);
    bool wraps = n + 1 < grid.rows() && grid.row(n + 1).continues;
    // A row that is the rest of the one above is reached by wrapping, and so needs a first glyph.
    auto used = wraps ? grid.columns() : std::max<std::size_t>(row.used(), row.continues && n > 0 ? 1 : 0);
    for (std::size_t column = 0; column < used; ++column) {
      auto cell = row.at(column);
      writer.write(cell);
      auto next = column + (cell.span == Span::left_half ? 2U : 1U);
      if (cell.span == Span::right_half || !is_of_doubtful_width(cell)) continue;
      if (next < grid.columns())
        text += move_to(n, next);
      else
        writer.separate();
    }
    if (wraps || n + 1 == grid.rows()) continue;
    writer.finish();  // a line feed that scrolls would colour the new line
    text += "\r\n";
  }
  writer.finish();
}

/// The part of a row that fits into so many columns of a terminal's row `at`.
void append_part(std::string& text, const Grid& grid, std::size_t row, std::size_t at, std::size_t columns,
                 const GlyphTable& glyphs) {
  CellWriter writer(text, glyphs);
  auto used = std::min(grid.row(row).used(), columns);
  for (std::size_t column = 0; column < used; ++column) {
    auto cell = grid.at(row, column);
    if (cell.span == Span::left_half && column + 1 == columns) break;  // half of it would not fit
    writer.write(cell);
    auto next = column + (cell.span == Span::left_half ? 2U : 1U);
    if (cell.span != Span::right_half && is_of_doubtful_width(cell) && next < columns)
      text += move_to(at, next);
  }
  writer.finish();
}

/// `lines` are text and styles; should they ever be anything else, the host's terminal doesn't read it.
std::string only_styles(std::string_view lines) {
  OutputFilter filter({.clipboard = Clipboard::off, .styles_only = true});
  Bytes passed;
  filter.feed(as_bytes(lines), passed);
  return std::string(as_text(passed));
}

/// Lines of scrollback on an empty screen, pushed out of it, so that they are in the scrollback of the
/// terminal.
void append_history(std::string& text, std::string_view lines, Size size) {
  if (lines.empty()) return;
  std::size_t rows = 0;
  std::size_t bytes = 0;
  for (char character : only_styles(lines)) {
    ++bytes;
    if (character == '\n') {
      rows += bytes / size.columns + 1;  // not exactly: what is too much are empty lines
      bytes = 0;
      text += '\r';
    }
    text += character;
  }
  if (bytes > 0) rows += bytes / size.columns + 1;
  text += move_to(size.rows - 1U, 0);
  text.append(std::min<std::size_t>(rows, size.rows), '\n');
  text += "\x1b[H";
}

void append_charsets(std::string& text, const Charsets& charsets) {
  text += charsets.draws_lines[0] ? "\x1b(0" : "\x1b(B";
  text += charsets.draws_lines[1] ? "\x1b)0" : "\x1b)B";
  text += charsets.in_use == 0 ? '\x0f' : '\x0e';
}

/// Places the cursor, and where it waits behind the last column writes that column again to make it wait.
void append_position(std::string& text, const Pen& pen, const Grid& grid, const GlyphTable& glyphs,
                     std::size_t first_row) {
  auto column = pen.column;
  if (pen.wraps_next && grid.at(pen.row, column).span == Span::right_half) --column;
  text += move_to(pen.row - first_row, column);
  if (!pen.wraps_next) return;
  CellWriter writer(text, glyphs);
  writer.write(grid.at(pen.row, column));
  writer.finish();
}

/// The cursor as DECSC has saved it, saved again; then `next` with this cursor still set. Needs margins that
/// are those of the screen.
void append_saved(std::string& text, const Pen& saved, const Grid& grid, const GlyphTable& glyphs,
                  std::string_view next) {
  if (saved.origin) text += set_private(6);
  append_position(text, saved, grid, glyphs, 0);
  append_sgr(text, saved.style);
  append_charsets(text, saved.charsets);
  text +=
      "\x1b"
      "7";
  text += next;
  text += "\x1b[?6l\x1b(B\x1b)B\x0f\x1b[m";
}

void append_keyboard(std::string& text, const KeyboardFlags& keyboard) {
  const auto& flags = keyboard.all();
  if (flags.front() != 0) text += "\x1b[=" + std::to_string(flags.front()) + ";1u";
  for (std::size_t n = 1; n < flags.size(); ++n)
    text += "\x1b[>" + std::to_string(flags[n]) + "u";
}

void append_tabs(std::string& text, const std::vector<bool>& tabs) {
  text += "\x1b[3g";
  for (std::size_t column = 0; column < tabs.size(); ++column)
    if (tabs[column]) text += move_to(0, column) + "\x1bH";
}

void append_palette(std::string& text, const Palette& palette) {
  text += "\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\";
  for (const auto& [index, color] : palette) {
    text += "\x1b]" + (index < kDynamicColors ? "4;" + std::to_string(index)
                                              : std::to_string(10 + index - kDynamicColors));
    text += ";" + color_text(color) + "\x1b\\";
  }
}

void append_modes(std::string& text, const Modes& modes) {
  for (const auto& mode : kNamedModes) {
    bool on = modes.*mode.value;
    if (mode.number == 7 || mode.number == 25 || mode.number == 2026) continue;  // in their places
    if (on) text += set_private(mode.number);
  }
  for (auto number : {modes.mouse, modes.mouse_coding})
    if (number != 0) text += set_private(number);
  if (modes.insert) text += "\x1b[4h";
  if (modes.newline) text += "\x1b[20h";
  if (modes.other_keys != 0) text += "\x1b[>4;" + std::to_string(modes.other_keys) + "m";
  if (modes.cursor_shape != 0) text += "\x1b[" + std::to_string(modes.cursor_shape) + " q";
}

}  // namespace

void render_row(std::string& text, const Row& row, std::size_t columns, const GlyphTable& glyphs) {
  CellWriter writer(text, glyphs);
  for (std::size_t column = 0; column < columns; ++column)
    writer.write(row.at(column));
  writer.finish();
}

Bytes Screen::Terminal::redraw(std::size_t history) const {
  std::string text = whole_reset();
  text += "\x1b[?2026h";  // shown at once, where the terminal can
  append_palette(text, palette_);
  append_tabs(text, tabs_);
  text += "\x1b]2;" + title_ + "\x1b\\\x1b[H\x1b[2J";
  append_history(text, history > 0 ? scrollback_.tail(history) : std::string(), size_);
  append_page(text, pages_[0].grid, glyphs_);
  append_keyboard(text, pages_[0].keyboard);
  append_saved(text, pages_[0].saved, pages_[0].grid, glyphs_, alternate_ ? "\x1b[?1049h" : "");
  if (alternate_) {
    text += "\x1b[H\x1b[2J";
    append_page(text, pages_[1].grid, glyphs_);
    append_keyboard(text, pages_[1].keyboard);
    append_saved(text, pages_[1].saved, pages_[1].grid, glyphs_, "");
  }
  if (top_ != 0 || bottom_ != size_.rows)
    text += "\x1b[" + std::to_string(top_ + 1) + ";" + std::to_string(bottom_) + "r";
  if (modes_.origin) text += set_private(6);
  append_position(text, pen_, page().grid, glyphs_, modes_.origin ? top_ : 0U);
  append_sgr(text, pen_.style);
  append_charsets(text, pen_.charsets);
  if (!modes_.autowrap) text += "\x1b[?7l";
  append_modes(text, modes_);
  text += modes_.cursor_visible ? "\x1b[?25h" : "\x1b[?25l";
  if (!modes_.drawing) text += "\x1b[?2026l";
  return to_bytes(text);
}

Bytes Screen::Terminal::view(Size size, bool afresh) const {
  size = {.rows = std::clamp<std::uint16_t>(size.rows, 1, kMostRows),
          .columns = std::clamp<std::uint16_t>(size.columns, 1, kMostColumns)};
  std::string text = afresh ? whole_reset() + (alternate_ ? "\x1b[?1049h" : "") : std::string(kResetModes);
  text += "\x1b[?2026h";
  append_palette(text, palette_);
  text += "\x1b]2;" + title_ + "\x1b\\";
  const auto& grid = page().grid;
  // What a person looks at is where the cursor is.
  std::size_t first = pen_.row < size.rows ? 0U : pen_.row + 1U - size.rows;
  for (std::size_t n = 0; n < size.rows; ++n) {
    text += move_to(n, 0) + "\x1b[2K";
    if (first + n < grid.rows()) append_part(text, grid, first + n, n, size.columns, glyphs_);
  }
  append_keyboard(text, page().keyboard);
  append_modes(text, modes_);
  bool in_sight = modes_.cursor_visible && pen_.column < size.columns;
  text += move_to(pen_.row - first, std::min<std::size_t>(pen_.column, size.columns - 1U));
  text += in_sight ? "\x1b[?25h" : "\x1b[?25l";
  return to_bytes(text + "\x1b[?2026l");
}

Bytes Screen::Terminal::farewell() const {
  const auto& grid = pages_[0].grid;
  const auto& pen = alternate_ ? pages_[0].saved : pen_;
  std::size_t row = grid.rows();
  while (row > 0 && grid.row(row - 1).used() == 0)
    --row;  // the first row below what is shown
  std::string text = whole_reset();
  append_palette(text, {});
  append_tabs(text, standard_tabs(size_.columns));
  if (pen.column == 0 && pen.row >= row)
    text += move_to(pen.row, 0);
  else
    text += move_to(std::max<std::size_t>(row, pen.row + 1U) - 1, 0) + "\r\n";
  return to_bytes(text);
}

bool Screen::Terminal::is_plain() const {
  const auto& keys = pages_[0].keyboard.all();
  return !alternate_ && modes_ == Modes{} && palette_.empty() && tabs_ == standard_tabs(size_.columns) &&
         top_ == 0 && bottom_ == size_.rows && pen_.style == Style{} && pen_.charsets == Charsets{} &&
         keys.size() == 1 && keys.front() == 0;
}

Bytes scroll_away(Size size) {
  std::string text = move_to(size.rows - 1U, 0);
  text.append(size.rows, '\n');
  return to_bytes(text);
}

Bytes last_resort() {
  std::string text = whole_reset();
  append_palette(text, {});
  text += move_to(kMostRows, 0);  // the last row there is
  text += "\r\n";
  return to_bytes(text);
}

}  // namespace belljar::screen
