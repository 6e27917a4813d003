#include "base/log.h"

#include <cstdlib>
#include <string>

#include <unistd.h>

namespace belljar::log {

namespace {
// One value a process, set by main before anything else runs.
Level g_level = Level::off;
std::string g_process = "belljar";

/// A line may hold what a jar or a server chose, and is read on a terminal: nothing that one would obey (C0
/// and C1 controls) is left in it.
void disarm(std::string& line) {
  unsigned char before = 0;
  for (char& c : line) {
    auto byte = static_cast<unsigned char>(c);
    bool second_of_c1 = before == 0xc2 && byte >= 0x80 && byte <= 0x9f;
    if (byte < 0x20 || byte == 0x7f || second_of_c1) c = '?';
    before = byte;
  }
}

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
  auto text = fmt::format("{}[{}] {}: {}", g_process, getpid(), kNames[static_cast<int>(level)], line);
  disarm(text);
  text += '\n';
  // A log line that can't be written is lost: nothing may fail for its sake.
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace belljar::log
