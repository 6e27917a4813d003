#include "jar/root/system_tree.h"

#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/root/layer_options.h"

namespace belljar::jar {

namespace {

constexpr int kMaxDepth = 128;
constexpr mode_t kRights = 0777;

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

bool is_dots(const char* name) {
  return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

os::Fd open_directory(int parent, const char* name) {
  return os::Fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool same_file(const struct stat& one, const struct stat& other) {
  return S_ISREG(other.st_mode) && one.st_size == other.st_size &&
         one.st_mtim.tv_sec == other.st_mtim.tv_sec && one.st_mtim.tv_nsec == other.st_mtim.tv_nsec &&
         (one.st_mode & kRights) == (other.st_mode & kRights);
}

bool has_content(int directory, const char* name) {
  os::Fd file(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  return file && !names_content(file.get());
}

class TreeMaker {
 public:
  explicit TreeMaker(const TreeWork& work) : work_(work), buffer_(kSmallFile) {}

  /// `previous` is -1 where there is nothing to link from.
  Result<void> directory(int from, int previous, int to, const std::string& path, int depth) {
    if (depth > kMaxDepth)
      return Error(ErrorCode::limit_exceeded, "a system directory is nested too deeply: " + path);
    Directory listing(::fdopendir(::fcntl(from, F_DUPFD_CLOEXEC, 0)), &::closedir);
    if (!listing) return Error::from_errno(errno, "list " + path);
    while (const auto* entry = ::readdir(listing.get())) {
      if (is_dots(entry->d_name)) continue;
      struct stat status {};
      if (::fstatat(from, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0) continue;  // gone meanwhile
      if (work_.made) work_.made();
      TRY(one(from, previous, to, entry->d_name, path, status, depth));
    }
    return {};
  }

  std::vector<LargeFile> large;

 private:
  Result<void> one(int from, int previous, int to, const char* name, const std::string& path,
                   const struct stat& status, int depth) {
    auto below = path.empty() ? std::string(name) : path + "/" + name;
    if (S_ISDIR(status.st_mode)) return below_directory(from, previous, to, name, below, status, depth);
    if (S_ISLNK(status.st_mode)) return link(from, to, name);
    if (!S_ISREG(status.st_mode))  // behind a socket may be a process of the host
      return work_.tier == RootTier::skeleton ? mask(to, name) : Result<void>();
    if ((status.st_mode & S_IROTH) == 0) return mask(to, name);
    return file(from, previous, to, name, below, status);
  }

  Result<void> below_directory(int from, int previous, int to, const char* name, const std::string& path,
                               const struct stat& status, int depth) {
    bool open = (status.st_mode & (S_IROTH | S_IXOTH)) == (S_IROTH | S_IXOTH);
    if (::mkdirat(to, name, open ? 0755 : 0700) < 0) return Error::from_errno(errno, "mkdir " + path);
    auto made = open_directory(to, name);
    if (!made) return Error::from_errno(errno, "open " + path);
    if (open) {
      auto source = open_directory(from, name);
      auto earlier = previous < 0 ? os::Fd() : open_directory(previous, name);
      if (source) TRY(directory(source.get(), earlier.get(), made.get(), path, depth + 1));
    } else if (work_.tier == RootTier::skeleton) {
      TRY(hide_below(made.get()));
    }
    return finish(made.get(), path, status, status.st_mode & (kRights | S_ISVTX));
  }

  /// Gives what was made its owner, mode and times.
  Result<void> finish(int made, const std::string& path, const struct stat& status, mode_t mode) {
    if (work_.identity.privileged && ::fchown(made, work_.identity.user, work_.identity.group) < 0)
      return Error::from_errno(errno, "give " + path + " to the jars");
    if (::fchmod(made, mode) < 0) return Error::from_errno(errno, "chmod " + path);
    timespec times[2] = {status.st_mtim, status.st_mtim};
    if (::futimens(made, times) < 0) return Error::from_errno(errno, "set the time of " + path);
    return {};
  }

  Result<void> link(int from, int to, const char* name) {
    char text[4096];
    auto length = ::readlinkat(from, name, text, sizeof text);
    if (length <= 0 || static_cast<std::size_t>(length) == sizeof text) return {};
    std::string target(text, static_cast<std::size_t>(length));
    if (::symlinkat(target.c_str(), to, name) < 0)
      return Error::from_errno(errno, std::string("make the link ") + name);
    if (work_.identity.privileged &&
        ::fchownat(to, name, work_.identity.user, work_.identity.group, AT_SYMLINK_NOFOLLOW) < 0)
      return Error::from_errno(errno, std::string("give ") + name + " to the jars");
    return {};
  }

  /// An empty file that only the jar's root may read, where the host has something that it may not.
  Result<void> mask(int to, const char* name) {
    auto made = TRY(os::open_file_at(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
    if (work_.identity.privileged && ::fchown(made.get(), work_.identity.user, work_.identity.group) < 0)
      return Error::from_errno(errno, std::string("give ") + name + " to the jars");
    return {};
  }

  Result<void> file(int from, int previous, int to, const char* name, const std::string& path,
                    const struct stat& status) {
    bool is_large = static_cast<std::uint64_t>(status.st_size) > work_.small_file;
    struct stat earlier {};
    // One that was made for another jar's root is not this one's to write.
    bool is_known = previous >= 0 && ::fstatat(previous, name, &earlier, AT_SYMLINK_NOFOLLOW) == 0 &&
                    same_file(status, earlier) && earlier.st_uid == work_.identity.user &&
                    (!is_large || has_content(previous, name));
    if (is_known && ::linkat(previous, name, to, name, 0) == 0) return {};
    if (!is_large) return copy(from, to, name, path);
    large.push_back(
        {path, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec});
    return work_.tier == RootTier::metadata ? stub(to, name, path, status) : Result<void>();
  }

  Result<void> stub(int to, const char* name, const std::string& path, const struct stat& status) {
    auto made = TRY(os::open_file_at(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
    if (::ftruncate(made.get(), status.st_size) < 0) return Error::from_errno(errno, "stretch " + path);
    TRY(name_content(made.get(), "/" + path));
    return finish(made.get(), path, status, status.st_mode & kRights);
  }

  Result<void> copy(int from, int to, const char* name, const std::string& path) {
    os::Fd source(::openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    // What was looked at by name may be another file by now; this one is what counts.
    if (!source || ::fstat(source.get(), &status) < 0 || !S_ISREG(status.st_mode) ||
        (status.st_mode & S_IROTH) == 0)
      return {};
    auto made = TRY(os::open_file_at(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
    while (true) {
      auto count = ::read(source.get(), buffer_.data(), buffer_.size());
      if (count < 0) return Error::from_errno(errno, "read " + path);
      if (count == 0) break;
      TRY(os::write_all(made.get(), BytesView(buffer_.data(), static_cast<std::size_t>(count))));
    }
    return finish(made.get(), path, status, status.st_mode & kRights);
  }

  const TreeWork& work_;
  Bytes buffer_;
};

}  // namespace

Result<std::vector<LargeFile>> make_tree(const TreeSource& source, const TreeWork& work) {
  auto from = TRY(os::open_file(source.host, O_RDONLY | O_DIRECTORY));
  os::Fd previous;
  if (!source.previous.empty()) previous = open_directory(AT_FDCWD, source.previous.c_str());
  if (::mkdir(source.tree.c_str(), 0755) < 0) return Error::from_errno(errno, "mkdir " + source.tree);
  auto to = TRY(os::open_file(source.tree, O_RDONLY | O_DIRECTORY));
  if (work.identity.privileged && ::fchown(to.get(), work.identity.user, work.identity.group) < 0)
    return Error::from_errno(errno, "give " + source.tree + " to the jars");
  TreeMaker maker(work);
  TRY(maker.directory(from.get(), previous.get(), to.get(), "", 0)
          .context("copying " + source.host + " for the jars"));
  return std::move(maker.large);
}

}  // namespace belljar::jar
