#include "jar/namespaces/root_plan.h"

#include <algorithm>
#include <climits>
#include <memory>

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

namespace belljar::jar {

namespace {

/// Directories that hold programs and what they need; nothing personal. The rest of the host (/home, /root,
/// /srv, /mnt, /media, /boot, /run, /sys …) is not there.
/// Of Nix and Guix only packages and profiles: their daemons, which build and download outside, listen beside
/// them.
constexpr const char* kSystem[] = {"/usr", "/opt", "/nix/store", "/nix/var/nix/profiles", "/gnu/store"};
constexpr const char* kMergedIntoUsr[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
constexpr const char* kOfVar[] = {"/var/lib/dpkg", "/var/lib/rpm", "/var/lib/pacman/local",
                                  "/var/cache/fontconfig", "/var/cache/man"};

std::string real_path(const std::string& path) {
  std::unique_ptr<char, decltype(&::free)> resolved(::realpath(path.c_str(), nullptr), &::free);
  return resolved ? std::string(resolved.get()) : std::string();
}

bool is_directory(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

bool is_within(const std::string& path, const std::string& directory) {
  if (directory == "/") return true;
  return path.compare(0, directory.size(), directory) == 0 &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

void plan_system(RootPlan& plan) {
  for (const char* path : kSystem)
    if (is_directory(path)) plan.system.push_back({real_path(path), path, Access::read_only, {}});
  for (const char* path : kMergedIntoUsr) {
    char target[PATH_MAX];
    auto length = ::readlink(path, target, sizeof target);
    if (length > 0)
      plan.links.push_back({path, std::string(target, static_cast<std::size_t>(length))});
    else if (is_directory(path))
      plan.system.push_back({path, path, Access::read_only, {}});
  }
  for (const char* path : kOfVar)
    if (is_directory(path) && ::access(path, R_OK | X_OK) == 0)
      plan.system.push_back({real_path(path), path, Access::read_only, {}});
  struct sysinfo memory {};
  ::sysinfo(&memory);
  constexpr std::uint64_t kMost = 4ULL << 30;
  plan.temporary_bytes = std::min(kMost, static_cast<std::uint64_t>(memory.totalram) * memory.mem_unit / 4);
}

void plan_own(RootPlan& plan, const JarSpec& spec) {
  plan.home = {spec.state_directory + "/home", spec.home, Access::read_write, {}};
  if (!spec.workspace.empty())
    plan.workspace.push_back({spec.workspace, spec.workspace, Access::as_owner, {}});
  auto programs = spec.programs;
  std::sort(programs.begin(), programs.end(), [](auto& a, auto& b) { return a.path < b.path; });
  for (const auto& program : programs) {
    auto shows = [&](const Source& source) { return is_within(program.path, source.target); };
    if (std::any_of(plan.system.begin(), plan.system.end(), shows)) continue;
    if (std::any_of(plan.workspace.begin(), plan.workspace.end(), shows)) continue;
    if (std::any_of(plan.programs.begin(), plan.programs.end(), shows)) continue;
    plan.programs.push_back({program.path, program.path, Access::program, {}});
  }
}

}  // namespace belljar::jar
