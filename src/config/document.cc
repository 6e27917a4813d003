#include "config/document.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/core.h>

namespace {
[[noreturn]] void refuse_text() { throw std::logic_error("an unexpected character where a key must stand"); }
}  // namespace

// toml++ asserts on some malformed texts ("[[[") that it then has no error for; here that is an error too.
#undef NDEBUG  // with it, the same conditions would be assumed to hold
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : refuse_text())
// clang-format off
#include <toml++/toml.h>
// clang-format on

namespace belljar::config {

namespace {

Position position_of(const toml::source_position& position) {
  return {.line = position.line, .column = position.column};
}

bool before(const Position& a, const Position& b) {
  return a.line != b.line ? a.line < b.line : a.column < b.column;
}

// Depth is bounded by toml++'s own limit on nested values (256).
Node convert(const toml::node& source) {
  Node node;
  node.begin = position_of(source.source().begin);
  node.end = position_of(source.source().end);
  if (const auto* table = source.as_table()) {
    node.kind = Node::Kind::table;
    for (const auto& [key, value] : *table)
      node.entries.push_back({.key = std::string(key.str()),
                              .position = position_of(key.source().begin),
                              .value = convert(value)});
    std::stable_sort(node.entries.begin(), node.entries.end(),
                     [](const Entry& a, const Entry& b) { return before(a.position, b.position); });
  } else if (const auto* list = source.as_array()) {
    node.kind = Node::Kind::list;
    for (const auto& item : *list)
      node.items.push_back(convert(item));
  } else if (const auto* text = source.as_string()) {
    node.kind = Node::Kind::text;
    node.text = text->get();
  } else if (const auto* integer = source.as_integer()) {
    node.kind = Node::Kind::integer;
    node.integer = integer->get();
  } else if (const auto* real = source.as_floating_point()) {
    node.kind = Node::Kind::real;
    node.real = real->get();
  } else if (const auto* boolean = source.as_boolean()) {
    node.kind = Node::Kind::boolean;
    node.boolean = boolean->get();
  } else {
    node.kind = Node::Kind::time;
  }
  return node;
}

}  // namespace

const Entry* Node::find(std::string_view key) const {
  for (const auto& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

std::string_view describe(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::table:
      return "a table";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::text:
      return "a text";
    case Node::Kind::integer:
      return "a whole number";
    case Node::Kind::real:
      return "a number";
    case Node::Kind::boolean:
      return "true or false";
    case Node::Kind::time:
      return "a date or time";
  }
  return "something";
}

// The one place where toml++'s exceptions are caught.
Result<Node> parse_document(std::string_view toml, const std::string& shown_path) {
  if (toml.size() > kMaxDocument)
    return Error(ErrorCode::limit_exceeded, fmt::format("{}: larger than 1 MiB", shown_path));
  try {
    return convert(toml::parse(toml));
  } catch (const toml::parse_error& error) {
    auto at = error.source().begin;
    return Error(ErrorCode::malformed,
                 fmt::format("{}:{}:{}: {}", shown_path, at.line, at.column, error.description()));
  } catch (const std::logic_error& error) {
    return Error(ErrorCode::malformed, fmt::format("{}: {}", shown_path, error.what()));
  }
}

}  // namespace belljar::config
