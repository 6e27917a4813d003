#include "screen/grid.h"

#include <algorithm>

namespace belljar::screen {

namespace {

Cell blank(Color background) {
  Cell cell;
  cell.style.background = background;
  return cell;
}

}  // namespace

std::size_t Row::used() const {
  auto used = cells.size();
  while (used > 0 && cells[used - 1] == Cell{})
    --used;
  return used;
}

/// Makes sure that no wide glyph reaches over the left edge of `column`.
void Grid::split(Row& row, std::size_t column) const {
  if (column >= row.cells.size() || row.cells[column].span != Span::right_half) return;
  for (auto half : {column - 1, column}) {
    row.cells[half].glyph = U' ';
    row.cells[half].span = Span::one;
  }
}

void Grid::write(std::size_t row, std::size_t column, std::string_view ascii, const Style& style) {
  auto& cells = rows_[row].cells;
  split(rows_[row], column);
  split(rows_[row], column + ascii.size());
  if (cells.size() < column + ascii.size()) cells.resize(column + ascii.size());
  Cell cell;
  cell.style = style;
  auto* place = cells.data() + column;
  for (char character : ascii) {
    cell.glyph = static_cast<std::uint8_t>(character);
    *place++ = cell;
  }
}

void Grid::write(std::size_t row, std::size_t column, std::uint32_t glyph, bool wide, const Style& style) {
  auto& cells = rows_[row].cells;
  std::size_t width = wide ? 2 : 1;
  split(rows_[row], column);
  split(rows_[row], column + width);
  if (cells.size() < column + width) cells.resize(column + width);
  auto& cell = cells[column];
  cell.glyph = glyph & 0x3FFFFFFFU;
  cell.style = style;
  cell.span = wide ? Span::left_half : Span::one;
  if (!wide) return;
  cells[column + 1] = cell;
  cells[column + 1].glyph = U' ';
  cells[column + 1].span = Span::right_half;
}

void Grid::erase(std::size_t row, std::size_t from, std::size_t to, Color background) {
  auto& cells = rows_[row].cells;
  to = std::min(to, columns_);
  if (from >= to) return;
  split(rows_[row], from);
  split(rows_[row], to);
  auto erased = blank(background);
  bool standard = erased == Cell{};
  if (to == columns_) {
    if (from == 0) rows_[row].continues = false;
    if (row + 1 < rows_.size()) rows_[row + 1].continues = false;
    if (cells.size() > from) cells.resize(from);
  }
  auto end = standard ? std::min(to, cells.size()) : to;
  if (end <= from) return;
  if (cells.size() < end) cells.resize(end);
  std::fill(cells.begin() + static_cast<std::ptrdiff_t>(from),
            cells.begin() + static_cast<std::ptrdiff_t>(end), erased);
}

void Grid::erase_rows(std::size_t from, std::size_t to, Color background) {
  for (auto row = from; row < std::min(to, rows_.size()); ++row)
    erase(row, 0, columns_, background);
}

void Grid::insert(std::size_t row, std::size_t column, std::size_t count, Color background) {
  auto& cells = rows_[row].cells;
  count = std::min(count, columns_ - column);
  auto inserted = blank(background);
  split(rows_[row], column);
  split(rows_[row], columns_ - count);
  if (cells.size() > columns_ - count) cells.resize(columns_ - count);
  if (cells.size() <= column) return erase(row, column, column + count, background);
  cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(column), count, inserted);
}

void Grid::remove(std::size_t row, std::size_t column, std::size_t count, Color background) {
  auto& cells = rows_[row].cells;
  count = std::min(count, columns_ - column);
  split(rows_[row], column);
  split(rows_[row], column + count);
  if (cells.size() > column) {
    auto from = cells.begin() + static_cast<std::ptrdiff_t>(column);
    auto removed = std::min(count, cells.size() - column);
    cells.erase(from, from + static_cast<std::ptrdiff_t>(removed));
  }
  if (blank(background) == Cell{}) return;
  cells.resize(columns_ - count);
  cells.resize(columns_, blank(background));
}

void Grid::scroll_up(std::size_t top, std::size_t bottom, std::size_t count, Color background) {
  count = std::min(count, bottom - top);
  auto first = rows_.begin() + static_cast<std::ptrdiff_t>(top);
  auto last = rows_.begin() + static_cast<std::ptrdiff_t>(bottom);
  std::rotate(first, first + static_cast<std::ptrdiff_t>(count), last);
  // The first row may still go on with a line that is in the scrollback by now; anywhere else it is torn off.
  if (top > 0) first->continues = false;
  for (auto row = bottom - count; row < bottom; ++row)
    erase(row, 0, columns_, background);
}

void Grid::scroll_down(std::size_t top, std::size_t bottom, std::size_t count, Color background) {
  count = std::min(count, bottom - top);
  auto first = rows_.begin() + static_cast<std::ptrdiff_t>(top);
  auto last = rows_.begin() + static_cast<std::ptrdiff_t>(bottom);
  std::rotate(first, last - static_cast<std::ptrdiff_t>(count), last);
  for (auto row = top; row < top + count; ++row)
    erase(row, 0, columns_, background);
  if (bottom < rows_.size()) rows_[bottom].continues = false;
}

void Grid::set_columns(std::size_t columns) {
  if (columns == columns_) return;
  for (auto& row : rows_) {
    split(row, columns);
    if (row.cells.size() > columns) row.cells.resize(columns);
    row.continues = false;
  }
  columns_ = columns;
}

void Grid::drop_first(std::size_t count) {
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(std::min(count, rows_.size())));
}

}  // namespace belljar::screen
