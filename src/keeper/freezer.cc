#include "keeper/freezer.h"

#include <cerrno>
#include <chrono>
#include <optional>
#include <set>
#include <sstream>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/namespaces/control_group.h"
#include "keeper/processes.h"
#include "os/fd.h"

namespace belljar::keeper {

namespace {

constexpr const char* kBesideVersion1 = "/sys/fs/cgroup/unified/belljar";
constexpr auto kLongest = std::chrono::seconds(3);  // for each step: the keeper does nothing else meanwhile
constexpr int kRounds = 2000;
constexpr useconds_t kPause = 1000;  // µs
constexpr std::size_t kMaxText = 4U << 20;

Result<void> put(const std::string& path, const std::string& text) {
  auto file = TRY(os::open_file(path, O_WRONLY));
  return os::write_all(file.get(), as_bytes(text)).context("write " + path);
}

std::string read_or_empty(const std::string& path) { return os::read_file(path, kMaxText).value_or(""); }

using Instant = std::chrono::steady_clock::time_point;
bool is_over(Instant until) { return std::chrono::steady_clock::now() > until; }

/// Whether the kernel says so in time.
bool becomes(const std::string& path, std::string_view text, Instant until) {
  for (; !is_over(until); ::usleep(kPause))
    if (read_or_empty(path).find(text) != std::string::npos) return true;
  return false;
}

}  // namespace

Freezer::Freezer(std::string jar, pid_t first, std::string group)
    : jar_(std::move(jar)), first_(first), group_(std::move(group)) {
  if (group_.empty()) jar::sweep_groups(kBesideVersion1, "");  // what keepers have left that were killed
}

Freezer::~Freezer() {
  thaw();
  for (int round = 0; made_ && round < kRounds && ::rmdir(group_.c_str()) < 0 && errno == EBUSY; ++round)
    ::usleep(kPause);
}

/// Nobody else removes it while the answer lives, or a process is in it.
Result<jar::NewGroup> Freezer::make_group() {
  if (::mkdir(kBesideVersion1, 0755) < 0 && errno != EEXIST)
    return Error(ErrorCode::unsupported, "no control group that this user may freeze");
  auto group = TRY(jar::make_group(kBesideVersion1, fmt::format("{}-{}", jar_, first_)));
  group_ = group.path;
  made_ = true;
  return group;
}

Result<void> Freezer::freeze() {
  std::optional<jar::NewGroup> group;
  if (group_.empty()) group.emplace(TRY(make_group()));
  TRY(put(group_ + "/cgroup.freeze", "1"));
  auto held = made_ ? gather() : Result<void>{};
  if (held && !becomes(group_ + "/cgroup.events", "frozen 1", std::chrono::steady_clock::now() + kLongest))
    held = Error(ErrorCode::timed_out, "the kernel does not freeze the jar");
  if (!held) thaw();
  return held;
}

/// All below init; what is started meanwhile comes into the group of who started it.
Result<void> Freezer::gather() const {
  auto until = std::chrono::steady_clock::now() + kLongest;
  for (bool all = false; !all;) {
    all = true;
    std::istringstream numbers(read_or_empty(group_ + "/cgroup.procs"));
    std::set<pid_t> held;
    for (pid_t process = 0; numbers >> process;)
      held.insert(process);
    for (auto process : TRY(all_processes_below(first_))) {
      if (is_over(until))
        return Error(ErrorCode::timed_out, "the jar has more processes than can be frozen in time");
      // One that has ended is in no group's list, however often it is put there.
      if (process == first_ || held.count(process) > 0 || has_ended(process)) continue;
      auto moved = put(group_ + "/cgroup.procs", std::to_string(process));
      if (!moved && moved.error().system_errno() != ESRCH) return moved;
      all = false;
    }
  }
  return {};
}

void Freezer::thaw() {
  if (!group_.empty()) (void)put(group_ + "/cgroup.freeze", "0");
}

}  // namespace belljar::keeper
