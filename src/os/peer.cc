#include "os/peer.h"

#include <cerrno>

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/fd.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77  // Linux 6.5
#endif

namespace belljar::os {

namespace {

/// The peer's process, pinned: while its descriptor says that it lives, its number is nobody else's.
Result<Fd> pin_peer(int socket, pid_t number) {
  int pidfd = -1;
  socklen_t size = sizeof pidfd;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) == 0 && pidfd >= 0) return Fd(pidfd);
  Fd opened(static_cast<int>(::syscall(SYS_pidfd_open, number, 0U)));  // an older kernel
  if (!opened) return Error::from_errno(errno, "look at who connected");
  return opened;
}

bool lives(int pidfd) {
  pollfd event{pidfd, POLLIN, 0};
  return ::poll(&event, 1, 0) == 0;
}

Result<void> check_namespace(pid_t number) {
  struct stat own {
  }, theirs{};
  if (::stat("/proc/self/ns/user", &own) < 0) return Error::from_errno(errno, "look at the user namespace");
  if (::stat(fmt::format("/proc/{}/ns/user", number).c_str(), &theirs) < 0)
    return Error::from_errno(errno, "look at the user namespace of who connected");
  if (own.st_ino != theirs.st_ino || own.st_dev != theirs.st_dev)
    return Error(ErrorCode::permission_denied, "a process of another user namespace");
  return {};
}

}  // namespace

Result<void> check_peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
    return Error::from_errno(errno, "look at who connected");
  if (peer.uid != ::geteuid()) return Error(ErrorCode::permission_denied, "a process of another user");
  if (peer.pid <= 0)  // of another process namespace: it can't be looked at
    return Error(ErrorCode::permission_denied, "a process that can't be seen from here");
  auto pinned = TRY(pin_peer(socket, peer.pid));
  TRY(check_namespace(peer.pid));
  if (!lives(pinned.get()))
    return Error(ErrorCode::permission_denied, "who connected has ended, so what it was can't be told");
  return {};
}

}  // namespace belljar::os
