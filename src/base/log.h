// What a process of belljar says about itself on standard error, for developers: off unless BELLJAR_LOG names
// a level. What users should know is in the ledger or in an error, never only here; no secret ever is.
#pragma once

#include <string_view>

#include <fmt/core.h>

namespace belljar::log {

enum class Level { off, warning, info, debug };

/// Reads BELLJAR_LOG (off, warning, info, debug) once and names this process in its lines.
void start(std::string_view process_name);
bool enabled(Level level);
void write(Level level, std::string_view line);

template <typename... Args>
void warning(fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(Level::warning)) write(Level::warning, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(Level::info)) write(Level::info, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(Level::debug)) write(Level::debug, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace belljar::log
