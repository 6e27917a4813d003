// TableReader: takes typed values out of a table and complains, with place and advice, about all that it was
// not asked for.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.h"

namespace belljar::config {

/// Collects what is wrong with one file.
class Problems {
 public:
  explicit Problems(std::string shown_path) : shown_path_(std::move(shown_path)) {}

  void add(Position position, std::string_view message);
  /// "~/.config/belljar/config.toml:12:1".
  [[nodiscard]] std::string place(Position position) const;
  /// Fails with all of them, in the order of the file, one a line.
  [[nodiscard]] Result<void> check() const;

 private:
  struct Problem {
    Position position;
    std::string message;
  };
  std::string shown_path_;
  std::vector<Problem> problems_;
};

class TableReader {
 public:
  /// `name` is what messages call the table ("[jar]"). All are borrowed.
  TableReader(const Node& table, std::string name, Problems& problems)
      : table_(table), name_(std::move(name)), problems_(problems) {}

  // Each takes the value under the key; nothing when it is absent or (after a complaint) of another type.
  std::optional<std::string> text(std::string_view key);
  std::optional<bool> flag(std::string_view key);
  /// A text, or a list of texts.
  std::vector<std::string> texts(std::string_view key);
  const Node* table(std::string_view key);
  /// A list of tables ([[key]]).
  std::vector<const Node*> tables(std::string_view key);
  /// Of any type, to be judged by the caller.
  const Node* any(std::string_view key);
  /// A list of values of any type; a value that is not a list counts as its only item.
  std::vector<const Node*> values(std::string_view key);
  /// A key of a later version: a complaint where it is used.
  void refuse_for_now(std::string_view key);
  /// A key that only the user's own configuration may have: a complaint where a project has it.
  void refuse_to_project(std::string_view key);
  /// Complains about every key that was not asked for.
  void finish();

  void complain(const Node& value, std::string_view message) { problems_.add(value.begin, message); }
  void complain_type(const Node& value, std::string_view key, std::string_view expected);

 private:
  const Entry* take(std::string_view key);

  const Node& table_;
  std::string name_;
  Problems& problems_;
  std::vector<std::string> known_;
};

/// The nearest of the known words, when one is near enough to be meant.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace belljar::config
