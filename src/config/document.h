// Document: a parsed TOML text in which everything knows its place. toml++ is confined to document.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace belljar::config {

/// Counted from 1; columns in characters.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

struct Entry;

struct Node {
  enum class Kind : std::uint8_t { table, list, text, integer, real, boolean, time };
  Kind kind = Kind::table;
  Position begin;
  Position end;  ///< just behind the value; of a table with a header: just behind the header
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  std::vector<Node> items;     ///< of a list
  std::vector<Entry> entries;  ///< of a table, in the order of the text

  [[nodiscard]] const Entry* find(std::string_view key) const;
};

struct Entry {
  std::string key;
  Position position;
  Node value;
};

/// "a text", "a list" …
std::string_view describe(Node::Kind kind);

inline constexpr std::size_t kMaxDocument = 1U << 20;

/// The command that opens a file there.
std::string edit_command(const std::string& shown_path, std::size_t line);

/// The root table. `malformed` with "shown_path:line:column: …".
Result<Node> parse_document(std::string_view toml, const std::string& shown_path);

}  // namespace belljar::config
