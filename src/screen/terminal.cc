// Printing, moving, scrolling.
#include "screen/terminal.h"

#include <algorithm>

#include "screen/width.h"

namespace belljar::screen {

namespace {

constexpr std::size_t kTabWidth = 8;

Size bounded(Size size) {
  return {.rows = std::clamp<std::uint16_t>(size.rows, 1, kMostRows),
          .columns = std::clamp<std::uint16_t>(size.columns, 1, kMostColumns)};
}

}  // namespace

std::vector<bool> standard_tabs(std::size_t columns) {
  std::vector<bool> tabs(columns, false);
  for (std::size_t column = kTabWidth; column < columns; column += kTabWidth)
    tabs[column] = true;
  return tabs;
}

Screen::Terminal::Terminal(Size size, Limits limits)
    : size_(bounded(size)),
      limits_(limits),
      parser_(kMostPayload),
      pages_{Page{.grid = Grid(size_.rows, size_.columns), .saved = {}, .keyboard = {}},
             Page{.grid = Grid(size_.rows, size_.columns), .saved = {}, .keyboard = {}}},
      bottom_(size_.rows),
      scrollback_(limits.scrollback) {
  tabs_ = standard_tabs(size_.columns);
}

void Screen::Terminal::feed(BytesView output) { parser_.feed(output, *this); }

void Screen::Terminal::ascii(std::string_view text) {
  last_is_wide_ = joiner_ = false;
  if (pen_.charsets.draw_lines() || modes_.insert) {
    for (char character : text)
      put(pen_.charsets.draw_lines() ? line_drawing(character) : static_cast<std::uint8_t>(character), false);
    return;
  }
  last_glyph_ = static_cast<std::uint8_t>(text.back());
  while (!text.empty()) {
    if (pen_.wraps_next) wrap();
    std::size_t room = size_.columns - pen_.column;
    if (!modes_.autowrap && text.size() > room) {  // the last column is written again and again
      if (room > 1) grid().write(pen_.row, pen_.column, text.substr(0, room - 1), pen_.style);
      grid().write(pen_.row, size_.columns - 1U, text.substr(text.size() - 1), pen_.style);
      pen_.column = static_cast<std::uint16_t>(size_.columns - 1);
      return;
    }
    auto part = text.substr(0, room);
    grid().write(pen_.row, pen_.column, part, pen_.style);
    advance(part.size());
    text.remove_prefix(part.size());
  }
}

void Screen::Terminal::character(char32_t code_point) {
  int width = width_of(code_point);
  if (width == 0 || joiner_) return join(code_point);
  put(code_point, width == 2);
}

/// One glyph of one or two columns at the cursor.
void Screen::Terminal::put(std::uint32_t glyph, bool wide) {
  std::size_t width = wide ? 2 : 1;
  if (width > size_.columns) return;
  if (pen_.wraps_next) wrap();
  if (pen_.column + width > size_.columns) {
    if (!modes_.autowrap) return;
    wrap();
  }
  if (modes_.insert) grid().insert(pen_.row, pen_.column, width, {});
  grid().write(pen_.row, pen_.column, glyph, wide, pen_.style);
  advance(width);
  last_glyph_ = glyph;
  last_is_wide_ = wide;
  joiner_ = false;
}

/// A code point that belongs to the glyph left of the cursor.
void Screen::Terminal::join(char32_t code_point) {
  joiner_ = false;
  if (pen_.column == 0 && !pen_.wraps_next) return;
  std::size_t column = pen_.wraps_next ? pen_.column : pen_.column - 1U;
  auto& row = grid().row(pen_.row);
  if (column >= row.cells.size()) row.cells.resize(column + 1);
  if (row.cells[column].span == Span::right_half) --column;
  auto& cell = row.cells[column];
  cell.glyph = glyphs_.join(cell.glyph, code_point) & 0x3FFFFFFFU;
  if (last_glyph_) last_glyph_ = std::uint32_t{cell.glyph};
  // Emoji that are joined are shown as one (UTS 51); letters are not.
  joiner_ = code_point == kZeroWidthJoiner && last_is_wide_ && last_glyph_ && cell.span == Span::left_half;
  if (glyphs_.wants_sweep()) sweep_glyphs();
}

void Screen::Terminal::sweep_glyphs() {
  glyphs_.begin_sweep();
  for (auto& page : pages_)
    for (std::size_t n = 0; n < page.grid.rows(); ++n)
      for (auto& cell : page.grid.row(n).cells)
        cell.glyph = glyphs_.keep(cell.glyph) & 0x3FFFFFFFU;
  if (last_glyph_) last_glyph_ = glyphs_.keep(*last_glyph_);
  glyphs_.end_sweep();
}

/// To the beginning of the next row, which continues this one.
void Screen::Terminal::wrap() {
  pen_.column = 0;
  auto row = pen_.row;
  line_feed();
  if (pen_.row != row || row + 1 == bottom_) grid().row(pen_.row).continues = pen_.row > 0;
}

void Screen::Terminal::advance(std::size_t columns) {
  auto column = pen_.column + columns;
  pen_.wraps_next = column >= size_.columns && modes_.autowrap;
  pen_.column = static_cast<std::uint16_t>(std::min<std::size_t>(column, size_.columns - 1U));
}

void Screen::Terminal::move(std::int32_t row, std::int32_t column) {
  pen_.row = static_cast<std::uint16_t>(std::clamp<std::int32_t>(row, 0, size_.rows - 1));
  pen_.column = static_cast<std::uint16_t>(std::clamp<std::int32_t>(column, 0, size_.columns - 1));
  pen_.wraps_next = false;
}

/// As move(), but rows count from the top margin and stay within the margins where origin mode is on.
void Screen::Terminal::move_within_origin(std::int32_t row, std::int32_t column) {
  if (modes_.origin) row = std::clamp<std::int32_t>(row + top_, top_, bottom_ - 1);
  move(row, column);
}

/// Up or down, not over a margin from within.
void Screen::Terminal::move_rows(std::int32_t count) {
  std::int32_t first = pen_.row >= top_ ? top_ : 0;
  std::int32_t last = pen_.row < bottom_ ? bottom_ - 1 : size_.rows - 1;
  move(std::clamp(pen_.row + count, first, last), pen_.column);
}

void Screen::Terminal::line_feed() {
  pen_.wraps_next = false;
  if (pen_.row + 1 == bottom_)
    scroll_up(1);
  else if (pen_.row + 1 < size_.rows)
    ++pen_.row;
}

void Screen::Terminal::reverse_line_feed() {
  pen_.wraps_next = false;
  if (pen_.row == top_)
    scroll_down(1);
  else if (pen_.row > 0)
    --pen_.row;
}

void Screen::Terminal::scroll_up(std::size_t count) {
  count = std::min<std::size_t>(count, bottom_ - top_);
  if (top_ == 0 && !alternate_) keep_in_scrollback(count);
  grid().scroll_up(top_, bottom_, count, pen_.style.background);
}

void Screen::Terminal::scroll_down(std::size_t count) {
  grid().scroll_down(top_, bottom_, count, pen_.style.background);
}

/// The first rows of the main screen are about to go.
void Screen::Terminal::keep_in_scrollback(std::size_t rows) {
  const auto& grid = pages_[0].grid;
  std::string text;
  for (std::size_t n = 0; n < rows; ++n) {
    const auto& row = grid.row(n);
    text.clear();
    if (scrollback_open_ && !row.continues) text += '\n';
    bool wrapped = n + 1 < grid.rows() && grid.row(n + 1).continues;
    render_row(text, row, wrapped ? size_.columns : row.used(), glyphs_);
    if (!wrapped) text += '\n';
    scrollback_open_ = wrapped;
    scrollback_.append(text);
  }
}

/// Forward to the next tab stop `count` times, or back where it is negative.
void Screen::Terminal::tab(std::int32_t count) {
  std::int32_t column = pen_.column;
  std::int32_t last = size_.columns - 1;
  for (auto step = count > 0 ? 1 : -1; count != 0 && column + step >= 0 && column + step <= last;
       count -= step) {
    do
      column += step;
    while (column > 0 && column < last && !tabs_[static_cast<std::size_t>(column)]);
  }
  bool wraps_next = pen_.wraps_next && column == pen_.column;
  move(pen_.row, column);
  pen_.wraps_next = wraps_next;
}

void Screen::Terminal::save_pen() {
  page().saved = pen_;
  page().saved.origin = modes_.origin;
}

void Screen::Terminal::restore_pen() {
  pen_ = page().saved;
  modes_.origin = pen_.origin;
  pen_.wraps_next = pen_.wraps_next && modes_.autowrap;
  if (modes_.origin && (pen_.row < top_ || pen_.row >= bottom_)) {
    pen_.row = std::clamp<std::uint16_t>(pen_.row, top_, static_cast<std::uint16_t>(bottom_ - 1));
    pen_.wraps_next = false;
  }
}

void Screen::Terminal::reset() {
  for (auto& page : pages_)
    page = {.grid = Grid(size_.rows, size_.columns), .saved = {}, .keyboard = {}};
  alternate_ = false;
  pen_ = {};
  modes_ = {};
  top_ = 0;
  bottom_ = size_.rows;
  palette_.clear();
  tabs_ = standard_tabs(size_.columns);
}

/// DECSTR (DEC STD 070 5.4.1): what may disturb the next program, not what is shown.
void Screen::Terminal::soft_reset() {
  modes_.application_cursor = modes_.application_keypad = modes_.insert = modes_.origin = false;
  modes_.autowrap = modes_.cursor_visible = true;
  top_ = 0;
  bottom_ = size_.rows;
  pen_.style = {};
  pen_.charsets = {};
  page().saved = {};
}

void Screen::Terminal::resize(Size size) {
  size = bounded(size);
  if (size == size_) return;
  last_glyph_.reset();
  joiner_ = false;
  // Rows that no longer fit go at the top where the cursor is below them, else at the end.
  std::uint16_t excess = pen_.row >= size.rows ? static_cast<std::uint16_t>(pen_.row - size.rows + 1) : 0;
  if (!alternate_) keep_in_scrollback(excess);
  for (auto& page : pages_) {
    auto dropped =
        &page == &this->page()
            ? excess
            : static_cast<std::uint16_t>(page.saved.row >= size.rows ? page.saved.row - size.rows + 1 : 0);
    if (&page == &pages_[0] && alternate_) keep_in_scrollback(dropped);
    page.grid.drop_first(dropped);
    page.grid.set_rows(size.rows);
    page.grid.set_columns(size.columns);
    page.saved.row = static_cast<std::uint16_t>(std::max(0, page.saved.row - dropped));
    page.saved.row = std::min<std::uint16_t>(page.saved.row, static_cast<std::uint16_t>(size.rows - 1));
    page.saved.column =
        std::min<std::uint16_t>(page.saved.column, static_cast<std::uint16_t>(size.columns - 1));
    page.saved.wraps_next = false;
  }
  auto columns_before = tabs_.size();
  tabs_.resize(size.columns);
  for (auto column = columns_before; column < tabs_.size(); ++column)
    tabs_[column] = column % kTabWidth == 0;
  size_ = size;
  top_ = 0;
  bottom_ = size.rows;
  move(pen_.row - excess, pen_.column);
}

}  // namespace belljar::screen
