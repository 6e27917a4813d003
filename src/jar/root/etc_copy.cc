#include "jar/root/etc_copy.h"

#include <cerrno>
#include <cstdio>
#include <functional>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <ftw.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "jar/root/credentials.h"
#include "jar/root/etc_stamp.h"
#include "jar/root/files.h"

namespace belljar::jar {

namespace {

constexpr int kMaxDepth = 24;
constexpr std::size_t kMaxFile = 16U << 20;
/// Raised whenever what is copied changes, so that older copies are made anew.
constexpr int kCopyVersion = 1;

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

Directory open_directory(int parent, const char* name) {
  int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* stream = fd < 0 ? nullptr : ::fdopendir(fd);
  if (stream == nullptr && fd >= 0) ::close(fd);
  return {stream, &::closedir};
}

bool is_dots(const char* name) {
  return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

/// Links that stay in what the jar has of the host.
bool is_copied_link(std::string_view target) {
  if (target.empty() || target[0] != '/') return true;
  for (std::string_view place :
       {"/etc/", "/usr/", "/opt/", "/lib/", "/bin/", "/sbin/", "/dev/null", "/proc/", "/run/"})
    if (target.substr(0, place.size()) == place) return true;
  return false;
}

class Copier {
 public:
  explicit Copier(const Identity& identity) : identity_(identity) {}

  Result<void> directory(int from_parent, const char* from, int to_parent, const char* to,
                         const std::string& path, int depth) {
    if (::mkdirat(to_parent, to, 0755) < 0 && errno != EEXIST)
      return Error::from_errno(errno, "mkdir " + path);
    auto target = TRY(os::open_file_at(to_parent, to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    TRY(give(target.get()));
    auto source = open_directory(from_parent, from);
    if (!source || depth > kMaxDepth) return {};
    while (auto* entry = ::readdir(source.get())) {
      if (is_dots(entry->d_name)) continue;
      auto below = path.empty() ? std::string(entry->d_name) : path + "/" + entry->d_name;
      if (is_private_name(below)) continue;
      TRY(one(::dirfd(source.get()), entry->d_name, target.get(), below, depth));
    }
    return {};
  }

 private:
  Result<void> give(int file) {
    if (identity_.privileged && ::fchown(file, identity_.user, identity_.group) < 0)
      return Error::from_errno(errno, "give a copied file to the jar");
    return {};
  }

  Result<void> one(int source, const char* name, int target, const std::string& path, int depth) {
    struct stat status {};
    if (::fstatat(source, name, &status, AT_SYMLINK_NOFOLLOW) < 0) return {};
    constexpr mode_t kEnter = S_IROTH | S_IXOTH;
    if (S_ISDIR(status.st_mode) && (status.st_mode & kEnter) == kEnter)
      return directory(source, name, target, name, path, depth + 1);
    if (S_ISLNK(status.st_mode)) return link(source, name, target);
    if (S_ISREG(status.st_mode) && (status.st_mode & S_IROTH) != 0) return file(source, name, target, path);
    return {};
  }

  Result<void> link(int source, const char* name, int target) {
    char text[4096];
    auto length = ::readlinkat(source, name, text, sizeof text);
    if (length <= 0 || static_cast<std::size_t>(length) == sizeof text) return {};
    std::string to(text, static_cast<std::size_t>(length));
    if (is_copied_link(to) && ::symlinkat(to.c_str(), target, name) < 0)
      return Error::from_errno(errno, std::string("link ") + name);
    return {};
  }

  Result<void> file(int source, const char* name, int target, const std::string& path) {
    auto opened = os::open_file_at(source, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!opened) return {};
    struct stat status {};
    // What was looked at by name may be another file by now; this one is what counts.
    if (::fstat(opened->get(), &status) < 0 || !S_ISREG(status.st_mode) || (status.st_mode & S_IROTH) == 0)
      return {};
    auto content = os::read_all(opened->get(), kMaxFile);
    if (!content) return {};  // too large: not configuration
    auto cleaned = clean_file(path, std::move(content).value());
    if (!cleaned) return {};
    auto made =
        TRY(os::open_file_at(target, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, status.st_mode & 0755));
    if (::fchmod(made.get(), status.st_mode & 0755) < 0) return Error::from_errno(errno, "chmod " + path);
    TRY(os::write_all(made.get(), as_bytes(*cleaned)));
    return give(made.get());
  }

  const Identity& identity_;
};

void remove_tree(const std::string& path) {
  ::nftw(
      path.c_str(), [](const char* name, const struct stat*, int, FTW*) { return ::remove(name), 0; }, 16,
      FTW_DEPTH | FTW_PHYS);
}

/// Removes copies of other states that no running jar uses, and halves that a crash left.
void sweep(const std::string& cache, const std::string& keep) {
  Directory directory(::opendir(cache.c_str()), &::closedir);
  if (!directory) return;
  while (auto* entry = ::readdir(directory.get())) {
    constexpr time_t kAbandoned = 3600;
    std::string name = entry->d_name;
    struct stat status {};
    if (name.rfind("new-etc-", 0) == 0 &&
        ::fstatat(::dirfd(directory.get()), name.c_str(), &status, 0) == 0 &&
        ::time(nullptr) - status.st_mtime > kAbandoned)
      remove_tree(cache + "/" + name);
    if (name.rfind("etc-", 0) != 0 || name == keep) continue;
    os::Fd old(
        ::openat(::dirfd(directory.get()), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (old && ::flock(old.get(), LOCK_EX | LOCK_NB) == 0) remove_tree(cache + "/" + name);
  }
}

std::string name_of_copy(const std::vector<std::string>& listed, const std::string& ca_subject_hash,
                         const Identity& identity) {
  return fmt::format("etc-{}-{}-{}-{:016x}", kCopyVersion, identity.user, ca_subject_hash,
                     stamp_listed("/etc", listed));
}

/// Opens and locks a finished copy; without a lock when there is none.
EtcCopy lock_copy(const std::string& cache, const std::string& name) {
  auto path = cache + "/" + name;
  os::Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory || ::flock(directory.get(), LOCK_SH | LOCK_NB) < 0) return {};
  // Whoever sweeps may have removed it between the two calls.
  struct stat locked {
  }, named{};
  bool same = ::fstat(directory.get(), &locked) == 0 && ::stat(path.c_str(), &named) == 0 &&
              locked.st_ino == named.st_ino;
  if (!same) return {};
  return {path + "/etc", std::move(directory), {}};
}

/// Makes the copy of this name where it isn't there yet.
Result<void> make_copy(const std::string& cache, const std::string& name, const std::string& ca_subject_hash,
                       const Identity& identity) {
  auto path = cache + "/" + name;
  if (::access(path.c_str(), F_OK) == 0) return {};
  TRY(os::create_directories(cache));
  auto temporary = fmt::format("{}/new-{}-{}", cache, name, ::getpid());
  auto built = [&]() -> Result<void> {
    TRY(os::create_directories(temporary));
    TRY(copy_etc("/etc", temporary + "/etc", identity));
    TRY(add_places(temporary + "/etc", ca_subject_hash, identity));
    if (::rename(temporary.c_str(), path.c_str()) < 0 && errno != EEXIST && errno != ENOTEMPTY)
      return Error::from_errno(errno, "rename to " + path);
    return {};
  }();
  remove_tree(temporary);  // what is left of a failure, or of losing a race
  return built;
}

}  // namespace

Result<void> copy_etc(const std::string& source, const std::string& target, const Identity& identity) {
  return Copier(identity).directory(AT_FDCWD, source.c_str(), AT_FDCWD, target.c_str(), "", 0);
}

Result<EtcCopy> prepare_etc(const std::string& cache_directory, const std::string& ca_subject_hash,
                            const Identity& identity) {
  auto listing = cache_directory + "/listing-of-etc";
  auto listed = read_listing(listing);
  EtcCopy copy;
  if (!listed.empty()) copy = lock_copy(cache_directory, name_of_copy(listed, ca_subject_hash, identity));
  // A start that saw another state of /etc may sweep a copy before it is locked.
  constexpr int kAttempts = 3;
  for (int attempt = 0; !copy.lock; ++attempt) {
    if (attempt == kAttempts)
      return Error(ErrorCode::internal, "the copy of /etc vanished each time before it was locked");
    listed = list_tree("/etc");
    auto name = name_of_copy(listed, ca_subject_hash, identity);
    TRY(make_copy(cache_directory, name, ca_subject_hash, identity).context("copying /etc for the jars"));
    // Without the list the next start only has to look through /etc again.
    (void)write_listing(listing, listed);
    copy = lock_copy(cache_directory, name);
    if (copy.lock) sweep(cache_directory, name);
  }
  copy.trusting = find_trusting(copy.tree, ca_subject_hash);
  return copy;
}

}  // namespace belljar::jar
