#include "jar/root/host_stamp.h"

#include <cstdint>

#include <fmt/core.h>
#include <sys/stat.h>

namespace belljar::jar {

namespace {

/// A directory changes when something in it is added, removed or renamed; packages change their databases. Of
/// /etc what follows packages or makes a difference to a jar, as the rest changes with every network.
constexpr const char* kWitnesses[] = {"/usr/bin",
                                      "/usr/sbin",
                                      "/usr/lib",
                                      "/usr/share",
                                      "/usr/local",
                                      "/usr/local/bin",
                                      "/usr/local/lib",
                                      "/var/lib/dpkg/status",
                                      "/var/lib/rpm",
                                      "/var/lib/pacman/local",
                                      "/etc/alternatives",
                                      "/etc/apt",
                                      "/etc/apt/sources.list.d",
                                      "/etc/ssl/certs",
                                      "/etc/ld.so.cache",
                                      "/etc/localtime",
                                      "/etc/gitconfig",
                                      "/etc/npmrc",
                                      "/etc/pip.conf",
                                      "/etc/environment"};

}  // namespace

std::string host_stamp(const std::vector<std::string>& directories, const std::string& salt) {
  std::uint64_t stamp = 0xcbf29ce484222325ULL;
  auto add = [&](std::uint64_t number) { stamp = (stamp ^ number) * 0x9e3779b97f4a7c15ULL + (stamp >> 31); };
  for (char c : salt)
    add(static_cast<unsigned char>(c));
  auto witness = [&](const char* path) {
    struct stat status {};
    if (::lstat(path, &status) < 0) return add(0);
    add(status.st_ino);
    add(static_cast<std::uint64_t>(status.st_ctim.tv_sec) << 30 ^
        static_cast<std::uint64_t>(status.st_ctim.tv_nsec));
  };
  for (const auto* path : kWitnesses)
    witness(path);
  for (const auto& directory : directories)
    witness(directory.c_str());
  return fmt::format("{:016x}", stamp);
}

}  // namespace belljar::jar
