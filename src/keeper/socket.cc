#include "keeper/socket.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77  // Linux 6.5
#endif

namespace belljar::keeper {

namespace {

constexpr const char* kName = "keeper.sock";
constexpr int kWaiting = 64;  // connections that were not accepted yet

/// The address of the socket by way of its directory's descriptor, as a path of a socket has 107 bytes.
sockaddr_un address_in(int directory) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  auto path = fmt::format("/proc/self/fd/{}/{}", directory, kName);
  CHECK(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Result<os::Fd> open_directory(const std::string& path) {
  return os::open_file(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
}

Result<os::Fd> create_socket(int flags) {
  os::Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0));
  if (!socket) return Error::from_errno(errno, "create a socket");
  return socket;
}

/// The peer's process, pinned: while its descriptor says that it lives, its number is nobody else's.
Result<os::Fd> pin_peer(int socket, pid_t number) {
  int pidfd = -1;
  socklen_t size = sizeof pidfd;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) == 0 && pidfd >= 0) return os::Fd(pidfd);
  os::Fd opened(static_cast<int>(::syscall(SYS_pidfd_open, number, 0U)));  // an older kernel
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

Result<os::Fd> listen_in(const std::string& jar_directory) {
  auto directory = TRY(open_directory(jar_directory));
  auto socket = TRY(create_socket(SOCK_NONBLOCK));
  if (::unlinkat(directory.get(), kName, 0) < 0 && errno != ENOENT)
    return Error::from_errno(errno, "remove an old keeper.sock");
  auto address = address_in(directory.get());
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0)
    return Error::from_errno(errno, "bind keeper.sock in " + jar_directory);
  if (::listen(socket.get(), kWaiting) < 0) return Error::from_errno(errno, "listen on keeper.sock");
  return socket;
}

void remove_socket(const std::string& jar_directory) { ::unlink((jar_directory + "/" + kName).c_str()); }

bool has_socket(const std::string& jar_directory) {
  struct stat info {};
  return ::lstat((jar_directory + "/" + kName).c_str(), &info) == 0 && S_ISSOCK(info.st_mode);
}

Result<os::Fd> connect_to(const std::string& jar_directory) {
  auto directory = TRY(open_directory(jar_directory));
  auto socket = TRY(create_socket(0));
  auto address = address_in(directory.get());
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0) {
    if (errno == ENOENT || errno == ECONNREFUSED)
      return Error(ErrorCode::not_found, "no keeper listens in " + jar_directory);
    return Error::from_errno(errno, "connect to the keeper in " + jar_directory);
  }
  return socket;
}

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

}  // namespace belljar::keeper
