#include "jar/root/image_tree.h"

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "os/fd.h"

namespace belljar::jar {

namespace {

constexpr mode_t kSetId = S_ISUID | S_ISGID;
constexpr mode_t kRights = 0777 | S_ISVTX;
constexpr std::size_t kMaxNames = 64U << 10;  // the kernel's own limit of a list of attributes

bool is_dots(const char* name) {
  return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

/// What the host's security modules set by themselves.
bool is_of_the_host(std::string_view attribute) {
  return attribute.starts_with("security.") && attribute != "security.capability";
}

struct Level {
  std::unique_ptr<DIR, int (*)(DIR*)> listing;
  std::string path;  ///< for messages; with its trailing slash, empty at the top
};

class Cleaner {
 public:
  Cleaner(uid_t owner, const TreeBounds& bounds) : owner_(owner), bounds_(bounds), names_(kMaxNames, '\0') {}

  Result<CleanedTree> clean(int top) {
    TRY(strip_attributes(fmt::format("/proc/self/fd/{}/.", top), "", 0700));
    TRY(enter(os::Fd(::fcntl(top, F_DUPFD_CLOEXEC, 0)), ""));
    while (!levels_.empty()) {
      auto& level = levels_.back();
      errno = 0;
      const auto* entry = ::readdir(level.listing.get());
      if (entry == nullptr && errno != 0) return Error::from_errno(errno, "list /" + level.path);
      if (entry == nullptr)
        levels_.pop_back();
      else if (!is_dots(entry->d_name))
        TRY(one(::dirfd(level.listing.get()), entry->d_name, level.path + entry->d_name));
    }
    return done_;
  }

 private:
  Result<void> enter(os::Fd directory, std::string path) {
    if (levels_.size() > bounds_.depth)
      return Error(ErrorCode::limit_exceeded,
                   fmt::format("directories are nested in it more than {} deep", bounds_.depth));
    DIR* stream = directory ? ::fdopendir(directory.get()) : nullptr;
    if (stream == nullptr) return Error::from_errno(errno, "open /" + path);
    (void)directory.release();
    levels_.push_back({{stream, &::closedir}, std::move(path)});
    return {};
  }

  Result<void> one(int parent, const char* name, const std::string& path) {
    struct stat status {};
    if (::fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
      return Error::from_errno(errno, "look at /" + path);
    TRY(count(status));
    if (path.size() > bounds_.path)
      return Error(ErrorCode::limit_exceeded,
                   fmt::format("a path in it is longer than {} bytes", bounds_.path));
    if (status.st_uid != owner_)
      return Error(ErrorCode::permission_denied,
                   fmt::format("/{} belongs to user {} on this host, not to the jars", path, status.st_uid));
    bool known = S_ISDIR(status.st_mode) || S_ISREG(status.st_mode) || S_ISLNK(status.st_mode);
    if (!known) {
      ++done_.removed;
      return ::unlinkat(parent, name, 0) == 0 ? Result<void>()
                                              : Result<void>(Error::from_errno(errno, "remove /" + path));
    }
    auto place = fmt::format("/proc/self/fd/{}/{}", parent, name);
    if (S_ISLNK(status.st_mode)) return strip_attributes(place, path, 0);
    TRY(set_mode(parent, name, path, status));
    TRY(strip_attributes(place, path, status.st_mode));
    if (!S_ISDIR(status.st_mode)) return {};
    return enter(os::Fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)), path + "/");
  }

  Result<void> count(const struct stat& status) {
    constexpr std::uint64_t kBlock = 512;
    done_.bytes += static_cast<std::uint64_t>(status.st_blocks) * kBlock;
    if (++done_.entries > bounds_.entries)
      return Error(ErrorCode::limit_exceeded,
                   fmt::format("it has more than {} files and directories", bounds_.entries));
    if (done_.bytes > bounds_.bytes)
      return Error(ErrorCode::limit_exceeded, fmt::format("it takes more than {} GiB", bounds_.bytes >> 30));
    return {};
  }

  /// Nobody else writes here, so that what has this name is what was looked at.
  static Result<void> set_mode(int parent, const char* name, const std::string& path, struct stat& status) {
    auto mode = status.st_mode & kRights & ~kSetId;
    if (S_ISDIR(status.st_mode)) mode |= S_IRWXU;
    if (mode == (status.st_mode & 07777)) return {};
    if (::fchmodat(parent, name, mode, 0) < 0) return Error::from_errno(errno, "chmod /" + path);
    status.st_mode = (status.st_mode & static_cast<mode_t>(S_IFMT)) | mode;
    return {};
  }

  /// `mode`: of what is no symlink, as it must be writable while its attributes go.
  Result<void> strip_attributes(const std::string& place, const std::string& path, mode_t mode) {
    auto size = ::llistxattr(place.c_str(), names_.data(), names_.size());
    if (size < 0 && errno != EOPNOTSUPP) return Error::from_errno(errno, "list attributes of /" + path);
    bool opened = false;
    std::vector<std::string> names;
    for (ssize_t at = 0; at < size; at += static_cast<ssize_t>(names.back().size()) + 1)
      names.emplace_back(names_.data() + at);
    for (const auto& name : names) {
      if (is_of_the_host(name)) continue;
      if (!opened && mode != 0 && (mode & S_IWUSR) == 0) {
        if (::chmod(place.c_str(), (mode & kRights) | S_IRUSR | S_IWUSR) < 0)
          return Error::from_errno(errno, "chmod /" + path);
        opened = true;
      }
      if (::lremovexattr(place.c_str(), name.c_str()) < 0)
        return Error::from_errno(errno, fmt::format("take the attribute {} from /{}", name, path));
    }
    if (opened && ::chmod(place.c_str(), mode & kRights) < 0)
      return Error::from_errno(errno, "chmod /" + path);
    return {};
  }

  uid_t owner_;
  TreeBounds bounds_;
  std::string names_;
  std::vector<Level> levels_;
  CleanedTree done_;
};

}  // namespace

Result<CleanedTree> clean_tree(int directory, uid_t owner, const TreeBounds& bounds) {
  return Cleaner(owner, bounds).clean(directory);
}

}  // namespace belljar::jar
