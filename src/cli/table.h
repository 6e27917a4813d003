// Table: aligned columns for people.
#pragma once

#include <string>
#include <vector>

namespace belljar::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Columns two spaces apart, the last one not padded.
  [[nodiscard]] std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace belljar::cli
