// The line format of .npmrc and pip.conf: sections, keys, values, comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belljar::config {

struct IniEntry {
  std::string section;  ///< empty before the first
  std::string key;
  std::string value;  ///< trimmed; lines that continue it joined by newlines
};

/// What is no entry is passed over, as the tools do. `continued`: an indented line belongs to the value
/// before it (Python's configparser), and ":" separates too; npm knows neither.
std::vector<IniEntry> parse_ini(std::string_view text, bool continued);

std::string_view trim(std::string_view text);

}  // namespace belljar::config
