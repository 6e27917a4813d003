#include "keeper/remove_tree.h"

#include <cerrno>
#include <memory>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/fd.h"

namespace belljar::keeper {

namespace {

struct DirectoryCloser {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, DirectoryCloser>;

/// Makes a directory ours to read and change where it isn't, through no link: a jar that is just being killed
/// may still put one in its place. Failing is no failure here: what comes next says whether it mattered.
os::Fd unlock(int parent, const char* name) {
  os::Fd place(::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!place) return place;
  int changed = ::chmod(fmt::format("/proc/self/fd/{}", place.get()).c_str(), 0700);
  (void)changed;
  return place;
}

/// Opens a directory for listing.
Result<Directory> open_directory(int parent, const char* name) {
  auto place = unlock(parent, name);
  int fd = place ? ::openat(place.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd < 0) return Error::from_errno(errno, std::string("open ") + name);
  return Directory(::fdopendir(fd));
}

bool is_directory(int parent, const char* name) {
  struct stat info {};
  return ::fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

/// Moves a directory into `root` under a name that is free there (an interrupted removal may have left some).
Result<std::string> lift(int parent, const std::string& name, int root, unsigned& fresh) {
  while (true) {
    auto lifted = ".removing-" + std::to_string(fresh++);
    if (::renameat(parent, name.c_str(), root, lifted.c_str()) == 0) return lifted;
    if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
      return Error::from_errno(errno, "move " + name);
  }
}

/// Deletes what is no directory; moves a directory's children-to-be into `root` under a fresh name, so that
/// the depth of the tree never grows beyond two and no descriptor is held per level.
Result<void> empty_directory(int root, DIR* directory, unsigned& fresh, std::vector<std::string>& waiting) {
  int fd = ::dirfd(directory);
  while (const auto* entry = ::readdir(directory)) {
    std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (!is_directory(fd, name.c_str())) {
      if (::unlinkat(fd, name.c_str(), 0) < 0 && errno != ENOENT)
        return Error::from_errno(errno, "unlink " + name);
      continue;
    }
    if (::unlinkat(fd, name.c_str(), AT_REMOVEDIR) == 0) continue;
    (void)unlock(fd, name.c_str());  // moving rewrites its "..", which needs write access
    waiting.push_back(TRY(lift(fd, name, root, fresh)));
  }
  return {};
}

}  // namespace

Result<void> remove_tree(const std::string& path) {
  auto root = TRY(open_directory(AT_FDCWD, path.c_str()));
  int root_fd = ::dirfd(root.get());
  unsigned fresh = 0;
  std::vector<std::string> waiting;
  // Names that an interrupted removal left are found by the listing like everything else.
  while (true) {
    ::rewinddir(root.get());
    const auto* entry = ::readdir(root.get());
    while (entry != nullptr &&
           (std::string_view(entry->d_name) == "." || std::string_view(entry->d_name) == ".."))
      entry = ::readdir(root.get());
    if (entry == nullptr) break;
    waiting.emplace_back(entry->d_name);
    while (!waiting.empty()) {
      auto name = std::move(waiting.back());
      waiting.pop_back();
      if (is_directory(root_fd, name.c_str())) {
        auto directory = TRY(open_directory(root_fd, name.c_str()));
        TRY(empty_directory(root_fd, directory.get(), fresh, waiting));
        if (::unlinkat(root_fd, name.c_str(), AT_REMOVEDIR) < 0)
          return Error::from_errno(errno, "rmdir " + name);
      } else if (::unlinkat(root_fd, name.c_str(), 0) < 0) {
        return Error::from_errno(errno, "unlink " + name);
      }
    }
  }
  if (::rmdir(path.c_str()) < 0) return Error::from_errno(errno, "rmdir " + path);
  return {};
}

}  // namespace belljar::keeper
