#include "config/ini.h"

#include <algorithm>

namespace belljar::config {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<IniEntry> parse_ini(std::string_view text, bool continued) {
  std::vector<IniEntry> entries;
  std::string section;
  bool in_value = false;
  while (!text.empty()) {
    auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    auto content = trim(line);
    if (content.empty() || content.front() == '#' || content.front() == ';') continue;
    bool indented = line.front() == ' ' || line.front() == '\t';
    if (continued && indented && in_value) {
      entries.back().value += '\n';
      entries.back().value += content;
      continue;
    }
    in_value = false;
    if (content.front() == '[' && content.back() == ']') {
      section = trim(content.substr(1, content.size() - 2));
      continue;
    }
    auto separator = content.find_first_of(continued ? "=:" : "=");
    if (separator == std::string_view::npos) continue;
    entries.push_back({.section = section,
                       .key = std::string(trim(content.substr(0, separator))),
                       .value = std::string(trim(content.substr(separator + 1)))});
    in_value = true;
  }
  return entries;
}

}  // namespace belljar::config
