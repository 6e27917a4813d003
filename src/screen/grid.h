// Grid: the rows of a screen and what editing functions do to them; no cursor, no modes.
//
// A row holds cells only up to the last one that was written; those behind are blank in the standard style. A
// wide glyph is always whole: what cuts through one leaves blanks.
#pragma once

#include <string_view>
#include <vector>

#include "screen/cell.h"

namespace belljar::screen {

struct Row {
  std::vector<Cell> cells;
  bool continues = false;  ///< it is the rest of the line above, which was wrapped at the right edge

  [[nodiscard]] Cell at(std::size_t column) const { return column < cells.size() ? cells[column] : Cell{}; }
  /// Columns up to the last that isn't blank in the standard style.
  [[nodiscard]] std::size_t used() const;
};

class Grid {
 public:
  Grid(std::size_t rows, std::size_t columns) : columns_(columns), rows_(rows) {}

  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] const Row& row(std::size_t row) const { return rows_[row]; }
  [[nodiscard]] Row& row(std::size_t row) { return rows_[row]; }
  [[nodiscard]] Cell at(std::size_t row, std::size_t column) const { return rows_[row].at(column); }

  /// Writes glyphs of one column each; they fit into the row.
  void write(std::size_t row, std::size_t column, std::string_view ascii, const Style& style);
  /// Writes one glyph, one or two columns wide, that fits into the row.
  void write(std::size_t row, std::size_t column, std::uint32_t glyph, bool wide, const Style& style);

  /// Columns [from, to) become blank in this background.
  void erase(std::size_t row, std::size_t from, std::size_t to, Color background);
  void erase_rows(std::size_t from, std::size_t to, Color background);
  void insert(std::size_t row, std::size_t column, std::size_t count, Color background);
  void remove(std::size_t row, std::size_t column, std::size_t count, Color background);

  /// Rows [top, bottom) move by `count`; what is left empty is blank in this background.
  void scroll_up(std::size_t top, std::size_t bottom, std::size_t count, Color background);
  void scroll_down(std::size_t top, std::size_t bottom, std::size_t count, Color background);

  /// Other columns: rows are cut at the right.
  void set_columns(std::size_t columns);
  /// Other rows, taken away or added at the end.
  void set_rows(std::size_t rows) { rows_.resize(rows); }
  /// Takes the first rows away and adds none.
  void drop_first(std::size_t count);

 private:
  void split(Row& row, std::size_t column) const;

  std::size_t columns_;
  std::vector<Row> rows_;
};

}  // namespace belljar::screen
