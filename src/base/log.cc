#include "base/log.h"

#include <cstdlib>
#include <string>

#include <unistd.h>

namespace belljar::log {

namespace {
// One value a process, set by main before anything else runs.
Level g_level = Level::off;
std::string g_process = "belljar";
}  // namespace

void start(std::string_view process_name) {
  g_process = process_name;
  const char* wanted = std::getenv("BELLJAR_LOG");
  std::string_view level = wanted ? wanted : "off";
  g_level = level == "debug"     ? Level::debug
            : level == "info"    ? Level::info
            : level == "warning" ? Level::warning
                                 : Level::off;
}

bool enabled(Level level) { return level <= g_level; }

void write(Level level, std::string_view line) {
  constexpr std::string_view kNames[] = {"", "warning", "info", "debug"};
  auto text = fmt::format("{}[{}] {}: {}\n", g_process, getpid(), kNames[static_cast<int>(level)], line);
  // A log line that can't be written is lost: nothing may fail for its sake.
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace belljar::log
