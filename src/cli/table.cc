#include "cli/table.h"

#include <algorithm>

#include <fmt/format.h>

namespace belljar::cli {

std::string Table::to_string() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_)
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column + 1 < row.size(); ++column)
      out += fmt::format("{:<{}}  ", row[column], widths[column]);
    out += row.back() + "\n";
  }
  return out;
}

}  // namespace belljar::cli
