#include "jar/workspace/walk.h"

#include <cerrno>
#include <memory>
#include <optional>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar::jar {

namespace {

struct Level {
  std::unique_ptr<DIR, int (*)(DIR*)> directory;
  std::string path;  ///< with its trailing slash, empty for the workspace
};

unsigned char type_of(int directory, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type;
  struct stat status {};
  if (::fstatat(directory, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) < 0) return DT_UNKNOWN;
  return static_cast<unsigned char>(IFTODT(status.st_mode));
}

struct Below {
  os::Fd directory;
  bool closed = false;  ///< it can't be read, but could be again by whoever may have closed it: the jar
};

/// The directory below, when it is one still and, unless any will do, of this file system.
Below open_directory(int parent, const char* name, std::optional<dev_t> device) {
  Below below{os::Fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK))};
  struct stat status {};
  if (!below.directory) {
    below.closed = errno == EACCES && ::fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                   status.st_uid == ::geteuid();
  } else if (::fstat(below.directory.get(), &status) < 0 || (device && status.st_dev != *device)) {
    below.directory.reset();
  }
  return below;
}

bool is_dots(const char* name) {
  return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

}  // namespace

Result<Walked> walk(const std::string& workspace, const std::function<bool(const WalkEntry&)>& visit,
                    WalkBounds bounds) {
  auto top = TRY(os::open_file(workspace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  struct stat status {};
  if (::fstat(top.get(), &status) < 0) return Error::from_errno(errno, "look at " + workspace);
  std::optional<dev_t> device;
  if (!bounds.other_file_systems) device = status.st_dev;
  Walked walked;
  auto miss = [&walked](std::string what) {
    if (walked.complete()) walked.missed = std::move(what);
  };
  std::size_t seen = 0;
  std::vector<Level> levels;
  auto enter = [&](os::Fd directory, std::string path) {
    DIR* stream = ::fdopendir(directory.get());
    if (stream == nullptr) return;
    (void)directory.release();
    levels.push_back({{stream, &::closedir}, std::move(path)});
  };
  enter(std::move(top), "");
  while (!levels.empty()) {
    auto& level = levels.back();
    auto* entry = ::readdir(level.directory.get());
    if (entry == nullptr) {
      levels.pop_back();
      continue;
    }
    if (is_dots(entry->d_name)) continue;
    if (++seen > bounds.entries) {
      miss(fmt::format("it has more than {} entries", bounds.entries));
      return walked;
    }
    int directory = ::dirfd(level.directory.get());
    WalkEntry found{directory, level.path + entry->d_name, entry->d_name, type_of(directory, *entry)};
    bool into = visit(found);
    if (found.type != DT_DIR || !into) continue;
    if (levels.size() >= bounds.depth) {
      miss(fmt::format("{} is more than {} directories deep", found.path, bounds.depth));
      continue;
    }
    auto below = open_directory(directory, entry->d_name, device);
    if (below.closed) miss(found.path + " can't be read, but could be opened again by who runs in the jar");
    if (below.directory) enter(std::move(below.directory), found.path + "/");
  }
  return walked;
}

Result<os::Fd> open_workspace(const std::string& workspace, int flags) {
  auto top = TRY(os::open_file("/", O_PATH | O_DIRECTORY));
  return os::open_beneath(top.get(), workspace.substr(1), flags | O_DIRECTORY)
      .context("opening the workspace " + workspace);
}

}  // namespace belljar::jar
