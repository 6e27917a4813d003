#include "undo/descent.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar::undo {

namespace {

constexpr std::size_t kOpen = 64;  // levels whose descriptors are kept

constexpr mode_t kToRead = S_IRUSR | S_IXUSR;
constexpr mode_t kToWrite = S_IRWXU;

}  // namespace

Result<void> change_mode(int file, mode_t mode) {
  if (::chmod(fmt::format("/proc/self/fd/{}", file).c_str(), mode) < 0)
    return Error::from_errno(errno, "change a mode");
  return {};
}

Result<os::Fd> reopen(int place, int flags) {
  return os::open_file(fmt::format("/proc/self/fd/{}", place), flags);
}

Result<os::Fd> open_entry(int directory, const std::string& name, int flags) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS;
  // O_NOFOLLOW with O_PATH opens a symlink itself, which RESOLVE_NO_SYMLINKS would refuse.
  if ((flags & O_PATH) == 0) how.resolve |= RESOLVE_NO_SYMLINKS;
  while (true) {
    auto fd = static_cast<int>(::syscall(SYS_openat2, directory, name.c_str(), &how, sizeof how));
    if (fd >= 0) return os::Fd(fd);
    if (errno != EINTR && errno != EAGAIN) return Error::from_errno(errno, "open " + name);
  }
}

Result<Descent> Descent::begin(os::Fd top, For purpose) {
  Descent descent(purpose == For::writing ? kToWrite : kToRead);
  TRY(descent.add(std::move(top)));
  return descent;
}

Result<void> Descent::add(os::Fd place) {
  Level level;
  if (::fstat(place.get(), &level.status) < 0) return Error::from_errno(errno, "look at a directory");
  const auto& status = level.status;
  if ((status.st_mode & needed_) != needed_ && status.st_uid == ::geteuid()) {
    TRY(change_mode(place.get(), (status.st_mode & 07777) | S_IRWXU));
    level.unlocked = true;
  }
  level.directory = TRY(os::open_file_at(place.get(), ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK));
  levels_.push_back(std::move(level));
  if (levels_.size() > kOpen + 1) levels_[levels_.size() - kOpen - 1].directory.reset();
  return {};
}

Result<void> Descent::enter(const std::string& name) {
  auto directory = open_entry(here(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
  if (directory) {
    Level level;
    if (::fstat(directory->get(), &level.status) < 0) return Error::from_errno(errno, "look at " + name);
    if ((level.status.st_mode & needed_) == needed_ || level.status.st_uid != ::geteuid()) {
      level.directory = std::move(*directory);
      levels_.push_back(std::move(level));
      if (levels_.size() > kOpen + 1) levels_[levels_.size() - kOpen - 1].directory.reset();
      return {};
    }
  } else if (directory.error().system_errno() != EACCES) {
    return std::move(directory).error();
  }
  return add(TRY(open_entry(here(), name, O_PATH | O_DIRECTORY | O_NOFOLLOW)));
}

Result<void> Descent::leave(bool restore_mode) {
  auto level = std::move(levels_.back());
  levels_.pop_back();
  if (!levels_.empty() && !levels_.back().directory) {
    auto& above = levels_.back();
    auto directory = TRY(os::open_file_at(level.directory.get(), "..", O_RDONLY | O_DIRECTORY));
    struct stat status {};
    if (::fstat(directory.get(), &status) < 0 || status.st_ino != above.status.st_ino ||
        status.st_dev != above.status.st_dev)
      return Error(ErrorCode::cancelled, "a directory was moved away while it was being read");
    above.directory = std::move(directory);
  }
  if (level.unlocked && restore_mode) TRY(change_mode(level.directory.get(), level.status.st_mode & 07777));
  return {};
}

void Descent::abandon() {
  while (levels_.size() > 1)
    if (!leave()) return;
}

}  // namespace belljar::undo
