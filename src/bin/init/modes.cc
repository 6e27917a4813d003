#include "bin/init/modes.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "jar/init_protocol.h"

namespace belljar::init {

namespace {

// As <linux/seccomp.h> has them; the kernel's headers aren't there for every C library.
struct Notice {
  std::uint64_t id;
  std::uint32_t process;
  std::uint32_t flags;
  std::int32_t call;
  std::uint32_t architecture;
  std::uint64_t instruction;
  std::uint64_t arguments[6];
};
struct Answer {
  std::uint64_t id;
  std::int64_t value;
  std::int32_t error;
  std::uint32_t flags;
};
constexpr unsigned long kReceive = _IOWR('!', 0, Notice);
constexpr unsigned long kSend = _IOWR('!', 1, Answer);
constexpr unsigned long kStillValid = _IOW('!', 2, std::uint64_t);

constexpr int kFchmodat2 = 452;
constexpr mode_t kKept = 01777;

/// The path as the caller gave it, from its memory; an errno, 0 when it was read.
int read_path(std::uint32_t process, std::uint64_t address, char* path, std::size_t size) {
  constexpr std::size_t kPage = 4096;
  for (std::size_t done = 0; done < size;) {
    // Not across a page at once: what follows may not be mapped.
    auto part = kPage - (address + done) % kPage;
    if (part > size - done) part = size - done;
    iovec local{path + done, part};
    iovec remote{reinterpret_cast<void*>(address + done), part};  // NOLINT: an address of another process
    auto count = ::process_vm_readv(static_cast<pid_t>(process), &local, 1, &remote, 1, 0);
    if (count <= 0) return count < 0 && errno != EFAULT ? EPERM : EFAULT;
    if (std::memchr(path + done, 0, static_cast<std::size_t>(count)) != nullptr) return 0;
    done += static_cast<std::size_t>(count);
  }
  return ENAMETOOLONG;
}

/// The caller's file as init reaches it: "/proc/7/cwd/a" for "a".
int place_of(const Notice& notice, int directory, const char* path, char* place, std::size_t size) {
  int length = 0;
  if (path[0] == '/')
    length = std::snprintf(place, size, "/proc/%u/root%s", notice.process, path);
  else if (directory == AT_FDCWD)
    length = std::snprintf(place, size, "/proc/%u/cwd/%s", notice.process, path);
  else
    length = std::snprintf(place, size, "/proc/%u/fd/%d%s%s", notice.process, directory,
                           path[0] == 0 ? "" : "/", path);
  return length > 0 && static_cast<std::size_t>(length) < size ? 0 : ENAMETOOLONG;
}

struct Change {
  int directory = AT_FDCWD;
  std::uint64_t path = 0;  ///< address in the caller; 0: the descriptor itself
  mode_t mode = 0;
  int flags = 0;
};

bool read_change(const Notice& notice, Change& change) {
  const auto* a = notice.arguments;
  switch (notice.call) {
    case SYS_fchmod:
      change = {static_cast<int>(a[0]), 0, static_cast<mode_t>(a[1]), AT_EMPTY_PATH};
      return true;
#if defined(__x86_64__)
    case SYS_chmod:
      change = {AT_FDCWD, a[0], static_cast<mode_t>(a[1]), 0};
      return true;
#endif
    case SYS_fchmodat:
      change = {static_cast<int>(a[0]), a[1], static_cast<mode_t>(a[2]), 0};
      return true;
    case kFchmodat2:
      change = {static_cast<int>(a[0]), a[1], static_cast<mode_t>(a[2]), static_cast<int>(a[3])};
      return true;
    default:
      return false;
  }
}

/// Makes the change without its set-id bits; an errno, 0 when it was made.
int make_change(const Notice& notice, const Change& change) {
  constexpr int kKnown = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;
  char path[4096] = {};
  char place[4096 + 64];
  if ((change.flags & ~kKnown) != 0) return EINVAL;
  if (change.path != 0)
    if (int failure = read_path(notice.process, change.path, path, sizeof path); failure != 0) return failure;
  if (path[0] == 0 && (change.flags & AT_EMPTY_PATH) == 0) return ENOENT;
  if (int failure = place_of(notice, change.directory, path, place, sizeof place); failure != 0)
    return failure;
  auto id = notice.id;
  if (::ioctl(jar::kInitModes, kStillValid, &id) < 0) return EINTR;  // another may have its number by now
  bool link_itself = (change.flags & AT_SYMLINK_NOFOLLOW) != 0 && path[0] != 0;
  auto mode = change.mode & kKept;
  auto made = link_itself ? ::syscall(kFchmodat2, AT_FDCWD, place, mode, AT_SYMLINK_NOFOLLOW)
                          : ::syscall(SYS_fchmodat, AT_FDCWD, place, mode);
  return made < 0 ? errno : 0;
}

}  // namespace

bool open_modes() { return ::fcntl(jar::kInitModes, F_SETFD, FD_CLOEXEC) == 0; }

void serve_mode() {
  Notice notice{};
  if (::ioctl(jar::kInitModes, kReceive, &notice) < 0) return;  // its caller is gone
  Change change;
  int failure = read_change(notice, change) ? make_change(notice, change) : EPERM;
  Answer answer{.id = notice.id, .value = 0, .error = -failure, .flags = 0};
  (void)::ioctl(jar::kInitModes, kSend, &answer);
}

}  // namespace belljar::init
