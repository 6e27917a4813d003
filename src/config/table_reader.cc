#include "config/table_reader.h"

#include <algorithm>

#include <fmt/core.h>

namespace belljar::config {

void Problems::add(Position position, std::string_view message) {
  problems_.push_back({.position = position, .message = std::string(message)});
}

std::string Problems::place(Position position) const {
  return fmt::format("{}:{}:{}", shown_path_, position.line, position.column);
}

Result<void> Problems::check() const {
  if (problems_.empty()) return {};
  auto sorted = problems_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Problem& a, const Problem& b) {
    return std::pair(a.position.line, a.position.column) < std::pair(b.position.line, b.position.column);
  });
  std::string all;
  for (const auto& problem : sorted) {
    if (!all.empty()) all += '\n';
    all += fmt::format("{}: {}", place(problem.position), problem.message);
  }
  return Error(ErrorCode::invalid_argument, std::move(all))
      .with_hint(edit_command(shown_path_, sorted.front().position.line));
}

const Entry* TableReader::take(std::string_view key) {
  known_.emplace_back(key);
  return table_.find(key);
}

void TableReader::complain_type(const Node& value, std::string_view key, std::string_view expected) {
  complain(value, fmt::format("\"{}\" must be {}, not {}", key, expected, describe(value.kind)));
}

std::optional<std::string> TableReader::text(std::string_view key) {
  const auto* entry = take(key);
  if (entry == nullptr) return {};
  if (entry->value.kind == Node::Kind::text) return entry->value.text;
  complain_type(entry->value, key, "a text");
  return {};
}

std::optional<bool> TableReader::flag(std::string_view key) {
  const auto* entry = take(key);
  if (entry == nullptr) return {};
  if (entry->value.kind == Node::Kind::boolean) return entry->value.boolean;
  complain_type(entry->value, key, "true or false");
  return {};
}

std::vector<std::string> TableReader::texts(std::string_view key) {
  std::vector<std::string> texts;
  for (const auto* value : values(key)) {
    if (value->kind == Node::Kind::text)
      texts.push_back(value->text);
    else
      complain_type(*value, key, "a list of texts");
  }
  return texts;
}

const Node* TableReader::table(std::string_view key) {
  const auto* entry = take(key);
  if (entry == nullptr) return nullptr;
  if (entry->value.kind == Node::Kind::table) return &entry->value;
  complain_type(entry->value, key, fmt::format("a table, written as [{}]", key));
  return nullptr;
}

std::vector<const Node*> TableReader::tables(std::string_view key) {
  const auto* entry = take(key);
  if (entry == nullptr) return {};
  std::vector<const Node*> tables;
  if (entry->value.kind != Node::Kind::list) {
    complain_type(entry->value, key, fmt::format("a list of tables, each written as [[{}]]", key));
    return {};
  }
  for (const auto& item : entry->value.items) {
    if (item.kind == Node::Kind::table)
      tables.push_back(&item);
    else
      complain_type(item, key, "a list of tables");
  }
  return tables;
}

const Node* TableReader::any(std::string_view key) {
  const auto* entry = take(key);
  return entry == nullptr ? nullptr : &entry->value;
}

std::vector<const Node*> TableReader::values(std::string_view key) {
  const auto* value = any(key);
  if (value == nullptr) return {};
  if (value->kind != Node::Kind::list) return {value};
  std::vector<const Node*> values;
  for (const auto& item : value->items)
    values.push_back(&item);
  return values;
}

void TableReader::refuse_for_now(std::string_view key) {
  if (const auto* entry = take(key))
    problems_.add(entry->position, fmt::format("\"{}\" is not yet supported in this version", key));
}

void TableReader::refuse_to_project(std::string_view key) {
  if (const auto* entry = take(key))
    problems_.add(
        entry->position,
        fmt::format("a project may not set \"{}\": it belongs in ~/.config/belljar/config.toml", key));
}

void TableReader::finish() {
  for (const auto& entry : table_.entries) {
    if (std::find(known_.begin(), known_.end(), entry.key) != known_.end()) continue;
    auto message = fmt::format("unknown key \"{}\" in {}", entry.key, name_);
    if (auto meant = nearest(entry.key, known_)) message += fmt::format("; did you mean \"{}\"?", *meant);
    problems_.add(entry.position, message);
  }
}

namespace {

/// How many letters must be changed, added, dropped or swapped with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    table[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j)
    table[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      auto changed = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  return table[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() > 64) return {};
  std::optional<std::string> best;
  auto least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : known) {
    auto away = distance(word, candidate);
    if (away >= least) continue;
    least = away;
    best = candidate;
  }
  return best;
}

}  // namespace belljar::config
