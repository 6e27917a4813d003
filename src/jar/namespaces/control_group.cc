#include "jar/namespaces/control_group.h"

#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar::jar {

namespace {

/// Whether the directory that was opened is still the one of this path.
bool is_in_place(const os::Fd& directory, const std::string& path) {
  struct stat opened {
  }, named{};
  return ::fstat(directory.get(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

Result<NewGroup> make_group(const std::string& parent, const std::string& name) {
  constexpr int kAttempts = 100;  // between making and holding it a sweep may take it
  auto path = parent + "/" + name;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (::mkdir(path.c_str(), 0755) < 0) return Error::from_errno(errno, "make the control group " + path);
    auto hold = os::open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (hold && ::flock(hold->get(), LOCK_SH | LOCK_NB) == 0 && is_in_place(*hold, path))
      return NewGroup{std::move(path), std::move(*hold)};
    ::rmdir(path.c_str());
  }
  return Error(ErrorCode::already_exists, "the control group " + path + " is taken away while it is made");
}

void sweep_groups(const std::string& parent, const std::string& prefix) {
  std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(parent.c_str()), &::closedir);
  while (const auto* entry = directory ? ::readdir(directory.get()) : nullptr) {
    std::string_view name = entry->d_name;
    if (entry->d_type != DT_DIR || name.front() == '.' || !name.starts_with(prefix)) continue;
    auto path = parent + "/" + entry->d_name;
    auto group = os::open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (group && ::flock(group->get(), LOCK_EX | LOCK_NB) == 0 && is_in_place(*group, path))
      ::rmdir(path.c_str());
  }
}

}  // namespace belljar::jar
