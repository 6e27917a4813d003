#include "http/headers.h"

#include <algorithm>
#include <array>

namespace belljar::http {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_token_char(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return kOthers.find(c) != std::string_view::npos;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

// Where the list element that begins at `from` ends: at a comma outside a quoted string, or at the end.
std::size_t end_of_element(std::string_view list, std::size_t from) {
  bool quoted = false;
  for (std::size_t i = from; i < list.size(); ++i) {
    if (quoted && list[i] == '\\') {
      ++i;
    } else if (list[i] == '"') {
      quoted = !quoted;
    } else if (list[i] == ',' && !quoted) {
      return i;
    }
  }
  return list.size();
}

constexpr std::array<std::string_view, 10> kHopByHop = {
    "connection", "keep-alive",        "proxy-connection", "proxy-authenticate", "proxy-authorization", "te",
    "trailer",    "transfer-encoding", "upgrade",          "http2-settings"};

// Named by Connection, these would change what the message means to the next one.
bool survives_connection(std::string_view name) {
  constexpr std::array<std::string_view, 6> kKept = {"host",          "cookie",     "authorization",
                                                     "cache-control", "set-cookie", "expect"};
  return name.starts_with("content-") || std::find(kKept.begin(), kKept.end(), name) != kKept.end();
}

}  // namespace

Headers::Headers(std::initializer_list<Header> fields) {
  for (const Header& field : fields)
    add(field.name, field.value);
}

void Headers::add(std::string_view name, std::string_view value) {
  fields_.push_back({.name = lower_case(name), .value = std::string(value)});
}

void Headers::set(std::string_view name, std::string_view value) {
  remove(name);
  add(name, value);
}

std::size_t Headers::remove(std::string_view name) {
  return std::erase_if(fields_, [&](const Header& field) { return equals_ignoring_case(field.name, name); });
}

std::size_t Headers::count(std::string_view name) const {
  return static_cast<std::size_t>(std::count_if(fields_.begin(), fields_.end(), [&](const Header& field) {
    return equals_ignoring_case(field.name, name);
  }));
}

const std::string* Headers::find(std::string_view name) const {
  for (const Header& field : fields_) {
    if (equals_ignoring_case(field.name, name)) return &field.value;
  }
  return nullptr;
}

std::vector<std::string> Headers::elements(std::string_view name) const {
  std::vector<std::string> found;
  for (const Header& field : fields_) {
    if (!equals_ignoring_case(field.name, name)) continue;
    for (std::size_t from = 0; from < field.value.size();) {
      std::size_t end = end_of_element(field.value, from);
      std::string_view element = trim(std::string_view(field.value).substr(from, end - from));
      if (!element.empty()) found.emplace_back(element);
      from = end + 1;
    }
  }
  return found;
}

bool Headers::lists(std::string_view name, std::string_view token) const {
  const std::vector<std::string> all = elements(name);
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string& element) { return equals_ignoring_case(element, token); });
}

void remove_hop_by_hop(Headers& headers) {
  for (const std::string& named : headers.elements("connection")) {
    if (!survives_connection(lower_case(named))) headers.remove(named);
  }
  for (std::string_view name : kHopByHop)
    headers.remove(name);
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

bool is_field_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
  });
}

bool equals_ignoring_case(std::string_view left, std::string_view right) {
  return left.size() == right.size() && std::equal(left.begin(), left.end(), right.begin(),
                                                   [](char a, char b) { return lower(a) == lower(b); });
}

std::string lower_case(std::string_view text) {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
  return lowered;
}

}  // namespace belljar::http
