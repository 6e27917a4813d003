#include "os/bare_root.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/fd.h"
#include "os/mount.h"

namespace belljar::os {

namespace {

/// Any directory that every host has: it is covered in this mount namespace only, and for a moment.
constexpr const char* kPlace = "/tmp";

struct Kept {
  std::string path;
  Fd mount;
  int descriptor = -1;
};

Result<void> put(const char* path, const std::string& text) {
  auto file = TRY(open_file(path, O_WRONLY));
  return write_all(file.get(), as_bytes(text)).context(std::string("write ") + path);
}

/// Without ids no file could be made. user_namespaces(7).
Result<void> keep_ids(uid_t user, gid_t group) {
  TRY(put("/proc/self/setgroups", "deny"));
  TRY(put("/proc/self/uid_map", fmt::format("{0} {0} 1", user)));
  return put("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
}

bool are_same(int one, int other) {
  struct stat a {
  }, b{};
  return ::fstat(one, &a) == 0 && ::fstat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

Result<Kept> keep(const PathGrant& grant) {
  char path[PATH_MAX];
  auto size = ::readlink(fmt::format("/proc/self/fd/{}", grant.fd).c_str(), path, sizeof path);
  if (size <= 1 || size == sizeof path || path[0] != '/')
    return Error(ErrorCode::unsupported, "a directory that is granted has no path");
  Kept kept{.path = std::string(path, static_cast<std::size_t>(size)), .mount = {}, .descriptor = grant.fd};
  // What was opened before lies in another mount namespace, from which nothing can be copied.
  auto anew = TRY(open_file(kept.path, O_PATH | O_DIRECTORY | O_NOFOLLOW));
  if (!are_same(anew.get(), grant.fd))
    return Error(ErrorCode::unsupported, kept.path + " is another directory by now");
  kept.mount = TRY(copy_mount(anew.get(), Recursive::yes));
  auto attributes = static_cast<std::uint64_t>(MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  if (!grant.writable) attributes |= MOUNT_ATTR_RDONLY;
  TRY(restrict_mount(kept.mount.get(), attributes, Recursive::yes));
  return kept;
}

/// mkdir -p, and the directory.
Result<Fd> make_place(const Fd& root, const std::string& path) {
  auto place = TRY(root.duplicate());
  for (std::size_t begins = 1, ends = 0; ends != path.size(); begins = ends + 1) {
    ends = std::min(path.find('/', begins), path.size());
    auto name = path.substr(begins, ends - begins);
    if (::mkdirat(place.get(), name.c_str(), 0755) < 0 && errno != EEXIST)
      return Error::from_errno(errno, "mkdir " + path);
    place = TRY(open_file_at(place.get(), name, O_PATH | O_DIRECTORY | O_NOFOLLOW));
  }
  return place;
}

Result<void> furnish(const Fd& root, const std::vector<Kept>& kept) {
  for (const auto& directory : kept) {
    auto place = TRY(make_place(root, directory.path));
    TRY(attach_mount(directory.mount.get(), place.get()));
  }
  TRY(restrict_mount(root.get(), MOUNT_ATTR_RDONLY, Recursive::no));
  if (::fchdir(root.get()) < 0) return Error::from_errno(errno, "enter the bare root");
  // The old root lies on top of the new one then, and goes. pivot_root(2).
  if (::syscall(SYS_pivot_root, ".", ".") < 0) return Error::from_errno(errno, "change the root");
  return {};
}

}  // namespace

Result<void> enter_bare_root(uid_t user, gid_t group, std::span<const PathGrant> paths) {
  TRY(keep_ids(user, group));
  std::vector<Kept> kept;
  for (const auto& grant : paths)
    kept.push_back(TRY(keep(grant)));
  auto root = TRY(create_mount("tmpfs", {{"size", "1m"}, {"mode", "0755"}},
                               MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
  auto place = TRY(open_file(kPlace, O_PATH | O_DIRECTORY));
  TRY(attach_mount(root.get(), place.get()));
  if (auto furnished = furnish(root, kept); !furnished) {
    if (::umount2(kPlace, MNT_DETACH) < 0 || ::chdir("/") < 0)
      return Error::from_errno(errno, "leave the bare root");
    return furnished;
  }
  if (::umount2(".", MNT_DETACH) < 0 || ::chdir("/") < 0)
    return Error::from_errno(errno, "leave the old root");
  for (const auto& directory : kept) {
    auto anew = TRY(open_file(directory.path, O_PATH | O_DIRECTORY));
    if (::dup3(anew.get(), directory.descriptor, O_CLOEXEC) < 0)
      return Error::from_errno(errno, "keep " + directory.path);
  }
  return {};
}

}  // namespace belljar::os
