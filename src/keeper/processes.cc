#include "keeper/processes.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include <dirent.h>
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include "os/fd.h"

namespace belljar::keeper {

namespace {

constexpr std::size_t kMostProcesses = 65536;  // belljar's default for a jar is 4096
constexpr std::size_t kMaxText = 1U << 20;

std::string read_of(pid_t process, const char* name) {
  return os::read_file(fmt::format("/proc/{}/{}", process, name), kMaxText).value_or("");
}

/// Children are told by thread.
std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  auto path = fmt::format("/proc/{}/task", process);
  auto* directory = ::opendir(path.c_str());
  if (directory == nullptr) return children;
  while (const auto* entry = ::readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    auto text = os::read_file(fmt::format("{}/{}/children", path, entry->d_name), kMaxText).value_or("");
    std::istringstream numbers(text);
    for (pid_t child = 0; numbers >> child;)
      children.push_back(child);
  }
  ::closedir(directory);
  return children;
}

/// The fields of /proc/PID/stat behind the name, which may hold anything: [0] is the state. proc(5).
std::vector<std::string> status_fields(pid_t process) {
  auto text = read_of(process, "stat");
  auto name_ends = text.rfind(')');
  std::vector<std::string> fields;
  if (name_ends == std::string::npos) return fields;
  std::istringstream rest(text.substr(name_ends + 1));
  for (std::string field; rest >> field;)
    fields.push_back(field);
  return fields;
}

std::uint64_t number_in(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::uint64_t cpu_ticks(const std::vector<std::string>& fields) {
  constexpr std::size_t kFirst = 11, kLast = 14;  // utime, stime, cutime, cstime
  std::uint64_t ticks = 0;
  for (auto n = kFirst; n <= kLast && n < fields.size(); ++n)
    ticks += number_in(fields[n]);
  return ticks;
}

std::uint64_t proportional_size(pid_t process) {
  std::istringstream lines(read_of(process, "smaps_rollup"));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("Pss:", 0) != 0) continue;
    auto digit = line.find_first_of("0123456789");
    return digit == std::string::npos ? 0 : number_in(line.substr(digit)) * 1024;
  }
  return 0;
}

bool is_still(pid_t process) {
  auto fields = status_fields(process);
  if (fields.empty()) return true;  // gone
  constexpr std::string_view kStill = "TtZX";
  return kStill.find(fields[0][0]) != std::string_view::npos;
}

}  // namespace

std::vector<pid_t> processes_below(pid_t first) {
  std::vector<pid_t> found = {first};
  for (std::size_t next = 0; next < found.size() && found.size() < kMostProcesses; ++next) {
    auto children = children_of(found[next]);
    found.insert(found.end(), children.begin(), children.end());
  }
  return found;
}

Figures measure(const std::vector<pid_t>& processes) {
  static const auto kTicks = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  Figures figures;
  std::uint64_t ticks = 0;
  for (auto process : processes) {
    ticks += cpu_ticks(status_fields(process));
    figures.memory += proportional_size(process);
  }
  figures.cpu_milliseconds = ticks * 1000 / kTicks;
  return figures;
}

Result<Pause> Pause::begin(pid_t first) {
  constexpr int kRounds = 100;  // each ends with what was started while it was under way
  Pause pause(first);
  for (int round = 0; round < kRounds; ++round) {
    bool moved = false;
    for (auto process : processes_below(first)) {
      if (process == first || is_still(process)) continue;
      moved = true;
      bool known = std::find(pause.stopped_.begin(), pause.stopped_.end(), process) != pause.stopped_.end();
      if (::kill(process, SIGSTOP) == 0 && !known) pause.stopped_.push_back(process);
    }
    if (!moved) return pause;
    ::usleep(1000);
  }
  pause.end();
  return Error(ErrorCode::limit_exceeded, "the jar starts processes faster than they can be stopped");
}

void Pause::end() {
  // Only what is in the jar still: a number may be somebody else's by now.
  for (auto process : processes_below(first_))
    if (std::find(stopped_.begin(), stopped_.end(), process) != stopped_.end()) ::kill(process, SIGCONT);
  stopped_.clear();
}

}  // namespace belljar::keeper
