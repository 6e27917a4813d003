#include "jar/identity.h"

#include <cerrno>
#include <sstream>

#include <fcntl.h>
#include <fmt/core.h>
#include <grp.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/fork.h"

namespace belljar::jar {

namespace {

struct MapLine {
  std::uint64_t inside = 0, outside = 0, count = 0;
};

Result<std::vector<MapLine>> read_map(const std::string& path) {
  std::istringstream text(TRY(os::read_file(path, 1U << 16)));
  std::vector<MapLine> lines;
  for (MapLine line; text >> line.inside >> line.outside >> line.count;)
    lines.push_back(line);
  return lines;
}

bool covers(const std::vector<MapLine>& map, std::uint64_t id) {
  for (const auto& line : map)
    if (id >= line.inside && id - line.inside < line.count) return true;
  return false;
}

Result<void> write_map(pid_t child, const char* file, const std::string& content) {
  auto path = fmt::format("/proc/{}/{}", child, file);
  auto opened = os::open_file(path, O_WRONLY);
  if (!opened) return std::move(opened).error();
  auto written = os::write_all(opened->get(), as_bytes(content));
  if (!written)
    return std::move(written)
        .error()
        .context(fmt::format("write {} of the jar's user namespace", file))
        .with_hint("belljar doctor");
  return {};
}

/// The group's name in this text of /etc/group, else its number.
std::string name_of_group(const std::string& known, gid_t group) {
  std::istringstream lines(known);
  auto number = std::to_string(group);
  for (std::string line; std::getline(lines, line);) {
    auto second = line.find(':', line.find(':') + 1);
    if (second != std::string::npos && line.compare(second + 1, number.size() + 1, number + ":") == 0)
      return line.substr(0, line.find(':'));
  }
  return number;
}

}  // namespace

Result<Identity> choose_identity() {
  Identity own{::geteuid(), ::getegid(), false};
  if (own.user != 0) return own;
  auto users = TRY(read_map("/proc/self/uid_map"));
  auto groups = TRY(read_map("/proc/self/gid_map"));
  if (covers(users, kJarHostId) && covers(groups, kJarHostId)) return Identity{kJarHostId, kJarHostId, true};
  // Root of a user namespace that maps nothing but itself is an ordinary user of the host.
  if (users.size() == 1 && users[0].count == 1 && users[0].outside != 0) return own;
  return Error(ErrorCode::unsupported,
               fmt::format(
                   "this root lives in a user namespace that has no unprivileged id {} to give to the jar",
                   kJarHostId))
      .with_hint("run belljar as an ordinary user");
}

Result<void> write_id_maps(pid_t child, const Identity& identity) {
  // An unprivileged writer must give up setgroups first; root's child drops its groups itself.
  if (!identity.privileged) TRY(write_map(child, "setgroups", "deny"));
  TRY(write_map(child, "uid_map", fmt::format("0 {} 1", identity.user)));
  return write_map(child, "gid_map", fmt::format("0 {} 1", identity.group));
}

Result<void> become_jar_root(const Identity& identity) {
  if (identity.privileged && ::setgroups(0, nullptr) < 0)
    return Error::from_errno(errno, "drop the supplementary groups");
  if (::setresgid(0, 0, 0) < 0) return Error::from_errno(errno, "become the jar's group");
  if (::setresuid(0, 0, 0) < 0) return Error::from_errno(errno, "become the jar's root");
  return {};
}

std::vector<std::string> remaining_groups(const Identity& identity) {
  std::vector<std::string> names;
  if (identity.privileged) return names;
  auto known = os::read_file("/etc/group", 4U << 20).value_or("");
  gid_t groups[256];
  int count = ::getgroups(256, groups);
  for (int i = 0; i < count; ++i)
    if (groups[i] != identity.group) names.push_back(name_of_group(known, groups[i]));
  return names;
}

Result<os::Fd> create_owner_map(uid_t owner, gid_t group, const Identity& identity) {
  // Killed on return; the namespace lives on in its descriptor.
  auto holder = TRY(os::clone_process(CLONE_NEWUSER).context("creating a user namespace"));
  if (!holder) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (true)
      ::pause();
  }
  auto number = holder->number();
  TRY(write_map(number, "uid_map", fmt::format("{} {} 1", owner, identity.user)));
  TRY(write_map(number, "gid_map", fmt::format("{} {} 1", group, identity.group)));
  return os::open_file(fmt::format("/proc/{}/ns/user", number), O_RDONLY);
}

}  // namespace belljar::jar
