#include "jar/workspace/refusal.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include <fmt/core.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/path.h"

namespace belljar::jar {

namespace {

/// Refused themselves and everything that contains them; what lies below is somebody's project.
constexpr const char* kPlaces[] = {"/home", "/root", "/opt",   "/srv", "/var",
                                   "/tmp",  "/mnt",  "/media", "/usr"};
/// Refused with all that lies below.
constexpr const char* kSystem[] = {"/bin",
                                   "/boot",
                                   "/dev",
                                   "/etc",
                                   "/lib",
                                   "/lib32",
                                   "/lib64",
                                   "/libx32",
                                   "/nix",
                                   "/proc",
                                   "/run",
                                   "/sbin",
                                   "/sys",
                                   "/gnu",
                                   "/usr/bin",
                                   "/usr/include",
                                   "/usr/lib",
                                   "/usr/lib32",
                                   "/usr/lib64",
                                   "/usr/libexec",
                                   "/usr/sbin",
                                   "/usr/share",
                                   "/var/lib/dpkg",
                                   "/usr/local/bin",
                                   "/usr/local/lib",
                                   "/usr/local/sbin",
                                   "/usr/local/share"};

Error refuse(const std::string& why) {
  return Error(ErrorCode::invalid_argument, why)
      .with_hint("cd into a project directory and start belljar there");
}

bool is_plain(const std::string& path) {
  if (path.empty() || path[0] != '/') return false;
  if (path.size() > 1 && path.back() == '/') return false;
  for (const auto* part : {"//", "/./", "/../"})
    if (path.find(part) != std::string::npos) return false;
  auto ends = [&](std::string_view tail) {
    return path.size() >= tail.size() && std::string_view(path).substr(path.size() - tail.size()) == tail;
  };
  return !ends("/.") && !ends("/..") && path.find('\n') == std::string::npos;
}

/// The paths and what they really are, where they lead elsewhere: the workspace's path has no symlinks.
std::vector<std::string> with_real_paths(std::vector<std::string> paths) {
  for (std::size_t i = 0, count = paths.size(); i < count; ++i) {
    std::unique_ptr<char, void (*)(void*)> real(::realpath(paths[i].c_str(), nullptr), ::free);
    if (real && paths[i] != real.get()) paths.emplace_back(real.get());
  }
  return paths;
}

/// As /etc/passwd has it. getpwuid(3) would load name services, which a static program can't.
std::optional<std::string> home_in_passwd(uid_t user) {
  std::unique_ptr<FILE, int (*)(FILE*)> file(::fopen("/etc/passwd", "re"), ::fclose);
  if (!file) return std::nullopt;
  while (const auto* entry = ::fgetpwent(file.get()))
    if (entry->pw_uid == user) return std::string(entry->pw_dir);
  return std::nullopt;
}

}  // namespace

std::vector<std::string> homes_of_user(const std::string& jar_home) {
  std::vector<std::string> homes = {jar_home};
  if (const char* home = ::getenv("HOME"); home != nullptr) homes.emplace_back(home);
  if (auto home = home_in_passwd(::getuid())) homes.push_back(std::move(*home));
  std::erase(homes, "/");  // daemons' accounts
  return homes;
}

Result<void> check_workspace(const std::string& workspace, const std::vector<std::string>& homes,
                             const std::vector<std::string>& hidden) {
  if (!is_plain(workspace))
    return refuse(fmt::format("the workspace '{}' isn't a plain absolute path", workspace));
  if (workspace == "/") return refuse("the whole file system can't be a workspace");
  for (const auto& home : with_real_paths(homes))
    if (!home.empty() && os::is_within(home, workspace))
      return refuse(
          fmt::format("the workspace {} {} the home directory {}: whatever starts with your login would "
                      "be the jar's to write",
                      workspace, home == workspace ? "is" : "contains", home));
  for (const auto& path : with_real_paths(hidden))
    if (os::is_within(path, workspace) || os::is_within(workspace, path))
      return refuse(
          fmt::format("the workspace {} overlaps {}, which belongs to belljar itself", workspace, path));
  if ((workspace + "/").find("/.git/") != std::string::npos)
    return refuse(fmt::format(
        "the workspace {} is part of a git directory: the host's git runs what is there", workspace));
  for (const auto* place : kPlaces)
    if (os::is_within(place, workspace))
      return refuse(fmt::format("{} is no project's directory", workspace));
  for (const auto* system : kSystem)
    if (os::is_within(workspace, system) || os::is_within(system, workspace))
      return refuse(fmt::format("the workspace {} is part of the system ({})", workspace, system));
  struct stat status {};
  if (::lstat(workspace.c_str(), &status) < 0)
    return Error::from_errno(errno, "look at the workspace " + workspace);
  if (!S_ISDIR(status.st_mode)) return refuse(fmt::format("the workspace {} isn't a directory", workspace));
  return {};
}

}  // namespace belljar::jar
