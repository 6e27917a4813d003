#include "net/authority.h"

#include <algorithm>

namespace belljar::net {

namespace {

Error malformed(const char* why) { return {ErrorCode::malformed, why}; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

/// What WHATWG URL readers take for a number: "12", "0x1f", "0x".
bool reads_as_number(std::string_view label) {
  if (label.starts_with("0x")) return std::all_of(label.begin() + 2, label.end(), is_hex);
  return std::all_of(label.begin(), label.end(), is_digit);
}

Result<void> check_label(std::string_view label) {
  if (label.empty()) return malformed("an empty label in a host name");
  if (label.size() > 63) return malformed("a label of more than 63 characters in a host name");
  for (char c : label)
    if (!is_digit(c) && (c < 'a' || c > 'z') && c != '-' && c != '_')
      return malformed("a character that no host name has");
  return {};
}

Result<std::string> parse_name(std::string_view text) {
  std::string name(text);
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (name.ends_with('.')) name.pop_back();
  if (name.size() > 253) return malformed("a host name of more than 253 characters");
  std::size_t start = 0;
  for (;;) {
    auto dot = std::min(name.find('.', start), name.size());
    TRY(check_label(std::string_view(name).substr(start, dot - start)));
    if (dot == name.size()) break;
    start = dot + 1;
  }
  if (reads_as_number(std::string_view(name).substr(start)))
    return malformed("an address in a spelling that is not taken");
  return name;
}

Result<void> parse_host(std::string_view text, Authority& authority) {
  bool brackets = text.starts_with('[') && text.ends_with(']');
  auto address = Address::parse(brackets ? text.substr(1, text.size() - 2) : text);
  if (!address.ok()) {
    if (brackets) return malformed("no IPv6 address in the brackets");
    authority.host = TRY(parse_name(text));
    return {};
  }
  if (address->is_v6() != brackets) return malformed("brackets are for IPv6, and needed there");
  authority.host = address->to_string();
  authority.address = *address;
  return {};
}

}  // namespace

Result<Authority> Authority::parse(std::string_view text) {
  Authority authority;
  auto colon = text.rfind(':');
  auto bracket = text.rfind(']');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    authority.port = TRY(parse_port(text.substr(colon + 1)));
    text = text.substr(0, colon);
  }
  TRY(parse_host(text, authority));
  return authority;
}

std::string Authority::to_string() const {
  auto text = address && address->is_v6() ? "[" + host + "]" : host;
  return port ? text + ":" + std::to_string(*port) : text;
}

}  // namespace belljar::net
