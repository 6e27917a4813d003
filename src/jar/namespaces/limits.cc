#include "jar/namespaces/limits.h"

#include <cerrno>
#include <sstream>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/namespaces/control_group.h"
#include "os/fd.h"

namespace belljar::jar {

namespace {

constexpr const char* kVersion1 = "/sys/fs/cgroup/";
constexpr std::uint64_t kPeriod = 100'000;  // µs, the kernel's default for CPU quotas

struct Setting {
  std::string controller;
  std::string asked;
  std::string limit;  ///< name in LimitState
  std::string file1;  ///< in version 1
  std::string file2;  ///< in version 2
  std::string value1;
  std::string value2;
};

std::vector<Setting> settings_of(const Limits& limits) {
  std::vector<Setting> settings;
  if (limits.memory) {
    auto bytes = std::to_string(*limits.memory);
    settings.push_back(
        {"memory", bytes + " bytes", "memory", "memory.limit_in_bytes", "memory.max", bytes, bytes});
  }
  if (limits.cpus) {
    auto quota = std::to_string(static_cast<std::uint64_t>(*limits.cpus * static_cast<double>(kPeriod)));
    settings.push_back({"cpu", fmt::format("{}", *limits.cpus), "cpus", "cpu.cfs_quota_us", "cpu.max", quota,
                        fmt::format("{} {}", quota, kPeriod)});
  }
  auto processes = std::to_string(limits.processes.value_or(kDefaultProcesses));
  settings.push_back({"pids", processes, "processes", "pids.max", "pids.max", processes, processes});
  return settings;
}

Result<void> put(const std::string& path, const std::string& text) {
  auto file = TRY(os::open_file(path, O_WRONLY));
  return os::write_all(file.get(), as_bytes(text)).context("write " + path);
}

/// The directory of version 2 next to our own group, where a user's service manager has delegated it.
Result<std::string> delegated_parent() {
  std::istringstream lines(TRY(os::read_file("/proc/self/cgroup", 1U << 16)));
  std::string own;
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("0::", 0) == 0) own = line.substr(3);
  if (own.empty() || own == "/")
    return Error(ErrorCode::unsupported, "this process has no control group of its own");
  auto parent = "/sys/fs/cgroup" + own.substr(0, own.rfind('/'));
  if (::access((parent + "/cgroup.procs").c_str(), W_OK) < 0)
    return Error::from_errno(errno, "the control group " + parent + " isn't delegated to this user");
  return parent;
}

}  // namespace

ControlGroups::~ControlGroups() { remove(); }

ControlGroups& ControlGroups::operator=(ControlGroups&& other) noexcept {
  if (this != &other) {
    remove();
    directories_ = std::move(other.directories_);
    unified_ = std::move(other.unified_);
    other.directories_.clear();
  }
  return *this;
}

void ControlGroups::remove() {
  for (const auto& directory : directories_) {
    // A group may stay busy for a moment after its last process was reaped.
    for (int attempt = 0; attempt < 20 && ::rmdir(directory.c_str()) < 0 && errno == EBUSY; ++attempt)
      ::usleep(1000);
  }
  directories_.clear();
}

/// "oom_kill N" is a line of memory.events (version 2) and of memory.oom_control (version 1).
std::uint64_t ControlGroups::out_of_memory() const {
  std::uint64_t killed = 0;
  for (const auto& directory : directories_)
    for (const char* file : {"/memory.events", "/memory.oom_control"}) {
      std::istringstream lines(os::read_file(directory + file, 1U << 16).value_or(""));
      std::string name;
      for (std::uint64_t count = 0; lines >> name >> count;)
        if (name == "oom_kill") killed += count;
    }
  return killed;
}

namespace {

Result<std::string> limit_version1(const std::string& name, const Setting& setting, pid_t child) {
  auto root = kVersion1 + setting.controller;
  if (::access((root + "/cgroup.procs").c_str(), F_OK) < 0)
    return Error(ErrorCode::unsupported, "no controller '" + setting.controller + "'");
  auto parent = root + "/belljar";
  if (::mkdir(parent.c_str(), 0755) < 0 && errno != EEXIST)
    return Error::from_errno(errno, "make the control group " + parent);
  sweep_groups(parent, "");
  auto group = TRY(make_group(parent, name));
  auto applied = put(group.path + "/" + setting.file1, setting.value1);
  if (applied) applied = put(group.path + "/cgroup.procs", std::to_string(child));
  if (!applied) {
    ::rmdir(group.path.c_str());
    return std::move(applied).error();
  }
  return std::move(group.path);
}

Result<NewGroup> group_version2(const std::string& name) {
  std::string root = "/sys/fs/cgroup";
  if (::access((root + "/cgroup.controllers").c_str(), F_OK) < 0)
    return Error(ErrorCode::unsupported, "no unified control groups");
  auto parent = ::geteuid() == 0 ? root : TRY(delegated_parent());
  sweep_groups(parent, "belljar-");
  return make_group(parent, "belljar-" + name);
}

void limit_each_version1(const std::string& name, const std::vector<Setting>& settings, pid_t child,
                         std::vector<std::string>& directories, std::vector<LimitState>& states) {
  for (const auto& setting : settings) {
    auto made = limit_version1(name, setting, child);
    if (made) directories.push_back(made.value());
    states.push_back({setting.limit, setting.asked, made.ok(),
                      made.ok() ? "control group (version 1)" : made.error().to_string()});
  }
}

void limit_all_version2(const std::string& group, const std::vector<Setting>& settings, pid_t child,
                        std::vector<LimitState>& states) {
  for (const auto& setting : settings) {
    auto applied = put(group + "/" + setting.file2, setting.value2);
    states.push_back({setting.limit, setting.asked, applied.ok(),
                      applied.ok() ? "control group" : applied.error().to_string()});
  }
  auto moved = put(group + "/cgroup.procs", std::to_string(child));
  if (moved) return;
  for (auto& state : states) {
    state.enforced = false;
    state.how = moved.error().to_string();
  }
}

/// What rlimits make of a limit that no group holds.
void note_fallback(const Limits& limits, std::vector<LimitState>& states) {
  for (auto& state : states) {
    if (state.name == "processes" && !limits.processes) state.asked.clear();
    if (state.enforced) continue;
    if (state.name == "processes") {
      state.enforced = true;  // counted per user namespace, and the jar has one of its own
      state.how = "RLIMIT_NPROC in the jar's user namespace";
    } else if (state.name == "memory") {
      state.how = "only per process (RLIMIT_DATA): " + state.how;
    } else {
      state.how = "not held: " + state.how;
    }
  }
}

}  // namespace

ControlGroups ControlGroups::create(const std::string& jar, const Limits& limits, pid_t child,
                                    std::vector<LimitState>& states) {
  ControlGroups groups;
  if (!limits.memory && !limits.cpus && !limits.processes) {
    // The default needs no group: RLIMIT_NPROC holds it, and moving a process into a group makes the kernel
    // wait for every processor, which takes longer than all else of a start.
    states.push_back({.name = "processes", .asked = "", .enforced = false, .how = ""});
    note_fallback(limits, states);
    return groups;
  }
  auto settings = settings_of(limits);
  auto name = fmt::format("{}-{}", jar, child);
  if (auto group = group_version2(name)) {
    groups.directories_.push_back(group->path);
    groups.unified_ = group->path;
    limit_all_version2(group->path, settings, child, states);
  } else {
    limit_each_version1(name, settings, child, groups.directories_, states);
  }
  note_fallback(limits, states);
  return groups;
}

void sweep_control_groups() {
  for (const char* controller : {"memory", "cpu", "pids"})
    sweep_groups(kVersion1 + std::string(controller) + "/belljar", "");
  if (::geteuid() == 0)
    sweep_groups("/sys/fs/cgroup", "belljar-");
  else if (auto parent = delegated_parent())
    sweep_groups(*parent, "belljar-");
}

Result<void> set_rlimits(const Limits& limits) {
  auto set = [](auto resource, rlim_t value) -> Result<void> {
    rlimit current{};
    ::getrlimit(resource, &current);
    auto hard = std::min(value, current.rlim_max);
    rlimit wanted{hard, hard};
    if (::setrlimit(resource, &wanted) < 0) return Error::from_errno(errno, "set a resource limit");
    return {};
  };
  // Not 0, which a crash handler that the kernel starts isn't bound by (core(5)): 1 is the kernel's own mark
  // for processes that must never be dumped, and too little for a file. jar_syscalls() keeps it.
  constexpr rlim_t kNeverDumped = 1;
  TRY(set(RLIMIT_CORE, kNeverDumped));
  TRY(set(RLIMIT_NPROC, limits.processes.value_or(kDefaultProcesses)));
  if (limits.memory) TRY(set(RLIMIT_DATA, *limits.memory));
  return {};
}

}  // namespace belljar::jar
