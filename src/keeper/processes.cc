#include "keeper/processes.h"

#include <cerrno>
#include <charconv>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

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

struct DirectoryCloser {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

/// Of each thread of it calls `look` with the path of its directory, while that answers true.
template <typename Look>
Result<void> look_at_threads(pid_t process, Look look) {
  auto path = fmt::format("/proc/{}/task", process);
  std::unique_ptr<DIR, DirectoryCloser> threads(::opendir(path.c_str()));
  if (!threads && errno != ENOENT && errno != ESRCH) return Error::from_errno(errno, "list " + path);
  while (const auto* thread = threads ? ::readdir(threads.get()) : nullptr)
    if (thread->d_name[0] != '.' && !look(fmt::format("{}/{}", path, thread->d_name))) break;
  return {};
}

/// Adds its children, which are told by thread.
Result<void> add_children(pid_t process, std::vector<pid_t>& found) {
  Result<void> added;
  TRY(look_at_threads(process, [&](const std::string& thread) {
    auto text = os::read_file(thread + "/children", kMaxText);
    if (!text) {
      auto error = text.error().system_errno();
      bool gone = error == ENOENT || error == ESRCH;
      if (!gone) added = std::move(text).error();
      return true;
    }
    std::istringstream numbers(*text);
    for (pid_t child = 0; numbers >> child;)
      found.push_back(child);
    return true;
  }));
  return added;
}

/// The fields of a file like /proc/PID/stat behind the name, which may hold anything: [0] is the state.
/// proc(5).
std::vector<std::string> status_fields(const std::string& directory) {
  auto text = os::read_file(directory + "/stat", kMaxText).value_or("");
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

/// Whether each of its threads is in one of these states, or gone. The process' own state is its first
/// thread's only, which can have ended while others run.
bool are_all(std::string_view states, pid_t process) {
  bool all = true;
  auto looked = look_at_threads(process, [&](const std::string& thread) {
    auto fields = status_fields(thread);
    all = fields.empty() || states.find(fields[0][0]) != std::string_view::npos;
    return all;
  });
  return all && looked;
}

}  // namespace

std::vector<pid_t> processes_below(pid_t first) {
  std::vector<pid_t> found = {first};
  for (std::size_t next = 0; next < found.size() && found.size() < kMostProcesses; ++next)
    (void)add_children(found[next], found);
  return found;
}

Result<std::vector<pid_t>> all_processes_below(pid_t first) {
  std::vector<pid_t> found = {first};
  for (std::size_t next = 0; next < found.size(); ++next) {
    TRY(add_children(found[next], found));
    if (found.size() > kMostProcesses)
      return Error(ErrorCode::limit_exceeded,
                   fmt::format("the jar has more than {} processes", kMostProcesses));
  }
  return found;
}

bool has_ended(pid_t process) { return are_all("ZX", process); }

Figures measure(const std::vector<pid_t>& processes) {
  static const auto kTicks = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  Figures figures;
  std::uint64_t ticks = 0;
  for (auto process : processes) {
    ticks += cpu_ticks(status_fields(fmt::format("/proc/{}", process)));
    figures.memory += proportional_size(process);
  }
  figures.cpu_milliseconds = ticks * 1000 / kTicks;
  return figures;
}

/// Whether there were any. Some may have been started while this was under way.
Result<bool> Pause::stop_those_that_move(std::chrono::steady_clock::time_point until) {
  bool moved = false;
  for (auto process : TRY(all_processes_below(first_))) {
    if (std::chrono::steady_clock::now() > until)
      return Error(ErrorCode::limit_exceeded, "the jar has more processes than can be stopped in time");
    if (process == first_ || are_all("TtZX", process)) continue;
    moved = true;
    if (::kill(process, SIGSTOP) == 0) stopped_.insert(process);
  }
  return moved;
}

Result<Pause> Pause::begin(pid_t first) {
  constexpr auto kLongest = std::chrono::seconds(3);  // the keeper does nothing else meanwhile
  auto until = std::chrono::steady_clock::now() + kLongest;
  Pause pause(first);
  while (std::chrono::steady_clock::now() < until) {
    auto moved = pause.stop_those_that_move(until);
    if (moved && !*moved) return pause;
    if (!moved) {
      pause.end();
      return std::move(moved).error();
    }
    ::usleep(1000);
  }
  pause.end();
  return Error(ErrorCode::limit_exceeded, "the jar starts processes faster than they can be stopped");
}

void Pause::end() {
  // Only what is in the jar still: a number may be somebody else's by now.
  for (auto process : processes_below(first_))
    if (stopped_.count(process) > 0) ::kill(process, SIGCONT);
  stopped_.clear();
}

}  // namespace belljar::keeper
