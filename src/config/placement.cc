#include "config/placement.h"

#include <cerrno>
#include <climits>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "os/path.h"

namespace belljar::config {

namespace {

constexpr int kMostLinks = 40;  // as the kernel follows
constexpr std::size_t kMostSteps = 4096;

std::string name_of_descriptor(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

Result<std::string> link_at(int directory, const char* name) {
  char target[PATH_MAX];
  auto size = ::readlinkat(directory, name, target, sizeof target);
  if (size < 0) return Error::from_errno(errno, "read a link");
  if (size == sizeof target) return Error::from_errno(ENAMETOOLONG, "read a link");
  return std::string(target, static_cast<std::size_t>(size));
}

/// Whether links of this directory lead where their text doesn't: to what a process has open.
bool is_of_processes(int directory) {
  struct statfs where {};
  return ::fstatfs(directory, &where) == 0 && where.f_type == PROC_SUPER_MAGIC;
}

/// One step after the other, so that each of them can be judged.
class Walk {
 public:
  explicit Walk(const std::vector<std::string>& held) : held_(held) {}

  Result<PlacedFile> run(const std::string& path) {
    TRY(begin(path));
    for (std::size_t steps = 0; !left_.empty(); ++steps) {
      if (steps == kMostSteps) return Error::from_errno(ELOOP, "open " + path);
      auto done = step();
      if (!done) return std::move(done).error().context("open " + path);
      if (!holder_.empty()) return PlacedFile{{}, holder_, ""};
    }
    // Only now: what is no plain file could make the opening wait.
    os::Fd file(::open(name_of_descriptor(place_.get()).c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC));
    if (!file) return Error::from_errno(errno, "open " + path);
    return PlacedFile{std::move(file), "", ""};
  }

 private:
  /// From here on `path` is walked, and what was left after it.
  Result<void> begin(const std::string& path) {
    left_ = left_.empty() ? path : path + "/" + left_;
    if (!path.starts_with('/') && place_) return {};
    place_ = TRY(os::open_file(path.starts_with('/') ? "/" : ".", O_PATH | O_DIRECTORY));
    return judge();
  }

  Result<void> step() {
    auto begins = left_.find_first_not_of('/');
    if (begins == std::string::npos) return left_.clear(), Result<void>{};
    auto ends = std::min(left_.find('/', begins), left_.size());
    auto name = left_.substr(begins, ends - begins);
    left_.erase(0, ends);
    auto next = TRY(os::open_file_at(place_.get(), name, O_PATH | O_NOFOLLOW));
    struct stat status {};
    if (::fstat(next.get(), &status) < 0) return Error::from_errno(errno, "look at a file");
    if (S_ISLNK(status.st_mode)) return follow(name, next);
    place_ = std::move(next);
    return judge();
  }

  Result<void> follow(const std::string& name, const os::Fd& link) {
    if (++links_ > kMostLinks) return Error::from_errno(ELOOP, "follow links");
    if (!is_of_processes(place_.get())) return begin(TRY(link_at(link.get(), "")));
    place_ = TRY(os::open_file_at(place_.get(), name, O_PATH));
    return judge();
  }

  /// Of the place where the walk is now.
  Result<void> judge() {
    auto path = TRY(link_at(AT_FDCWD, name_of_descriptor(place_.get()).c_str()));
    for (const auto& directory : held_)
      if (os::is_within(path, directory)) holder_ = directory;
    return {};
  }

  const std::vector<std::string>& held_;
  os::Fd place_;
  std::string left_;
  std::string holder_;
  int links_ = 0;
};

}  // namespace

Result<PlacedFile> open_placed(const std::string& path, const WrittenByJars& written) {
  // Most files that are looked for are not there: then nobody need know the jars.
  if (auto there = os::open_file(path, O_PATH); !there) return std::move(there).error();
  std::vector<std::string> held;
  if (written) {
    auto known = written();
    if (!known)
      return PlacedFile{
          {}, "what may be a jar's workspace: " + known.error().to_string(), known.error().hint()};
    held = std::move(*known);
  }
  return Walk(held).run(path);
}

Result<std::string> read_placed(const std::string& path, const std::string& shown, std::size_t limit,
                                const WrittenByJars& written) {
  auto placed = TRY(open_placed(path, written));
  if (placed.holder.empty()) return os::read_all(placed.file.get(), limit).context("read " + path);
  if (!placed.hint.empty())
    return Error(ErrorCode::permission_denied,
                 fmt::format("{} is not read: it stands in {}", shown, placed.holder))
        .with_hint(placed.hint);
  return Error(ErrorCode::permission_denied,
               fmt::format("{} stands in {}, the workspace of a jar, which could write there whom to trust",
                           shown, placed.holder))
      .with_hint("keep the file itself, not a link, outside of workspaces");
}

}  // namespace belljar::config
