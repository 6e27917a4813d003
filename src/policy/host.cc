// Names of hosts: their one canonical spelling, and the patterns that rules use.
#include <algorithm>

#include <fmt/core.h>

#include "policy/policy.h"

namespace belljar::policy {

namespace {

constexpr std::size_t kMaxName = 253;  // RFC 1035 section 2.3.4, without the trailing dot
constexpr std::size_t kMaxLabel = 63;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

Error malformed(std::string_view text, std::string_view why) {
  // The text comes from outside: only what can stand in a line of a log is repeated.
  std::string shown;
  for (char c : text.substr(0, 80))
    shown += c > 0x20 && c < 0x7f ? c : '?';
  return Error(ErrorCode::malformed, fmt::format("\"{}\" is not a host name: {}", shown, why));
}

/// Whether inet_aton and browsers would take the last label for a number, and so the name for an address
/// (127.1, 0x7f.1, 2130706433, 017700000001): the "ends in a number" rule of the URL standard.
bool reads_as_number(std::string_view label) {
  if (std::all_of(label.begin(), label.end(), is_digit)) return true;
  return label.starts_with("0x") && std::all_of(label.begin() + 2, label.end(), is_hex_digit);
}

/// What is wrong with a label in lower case; empty when nothing is.
std::string_view fault_of_label(std::string_view label) {
  if (label.empty()) return "it has an empty label";
  if (label.size() > kMaxLabel) return "it has a label of more than 63 characters";
  if (label.front() == '-' || label.back() == '-') return "a label begins or ends with a hyphen";
  for (char c : label)
    if (!is_digit(c) && !(c >= 'a' && c <= 'z') && c != '-' && c != '_')
      return "it has a character no name has";
  return {};
}

}  // namespace

Result<std::string> canonical_host(std::string_view text) {
  if (text.empty()) return malformed(text, "it is empty");
  if (text.size() > kMaxName + 1) return malformed(text, "it is longer than 253 characters");
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
    return malformed(text, "it is not in ASCII").with_hint("write the name in its ASCII form (xn--…)");
  if (text.find_first_of(":[]") != std::string_view::npos)
    return malformed(text, "it is an address or has a port; rules and requests name hosts");

  std::string name(text);
  std::transform(name.begin(), name.end(), name.begin(), to_lower);
  if (name.back() == '.') name.pop_back();
  if (name.size() > kMaxName) return malformed(text, "it is longer than 253 characters");

  std::string_view rest = name;
  while (true) {
    auto dot = rest.find('.');
    auto label = rest.substr(0, dot);
    if (auto fault = fault_of_label(label); !fault.empty()) return malformed(text, fault);
    if (dot == std::string_view::npos) {
      if (reads_as_number(label))
        return malformed(text, "it reads as an address; rules and requests name hosts");
      return name;
    }
    rest.remove_prefix(dot + 1);
  }
}

Result<HostPattern> HostPattern::parse(std::string_view text) {
  HostPattern pattern;
  if (text == "*" || text == "*.")
    return Error(ErrorCode::invalid_argument, "a rule for every host is not possible: name the hosts");
  pattern.wildcard_ = text.starts_with("*.");
  auto name = pattern.wildcard_ ? text.substr(2) : text;
  if (name.find('*') != std::string_view::npos)
    return Error(ErrorCode::invalid_argument,
                 "\"*\" stands only before the first dot, as in \"*.example.com\"");
  pattern.name_ = TRY(canonical_host(name));
  return pattern;
}

bool HostPattern::matches(std::string_view host) const {
  if (name_.empty()) return false;
  if (!wildcard_) return host == name_;
  return host.size() > name_.size() + 1 && host.ends_with(name_) &&
         host[host.size() - name_.size() - 1] == '.';
}

}  // namespace belljar::policy
