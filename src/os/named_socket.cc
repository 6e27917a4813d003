#include "os/named_socket.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace belljar::os {

namespace {

constexpr int kWaiting = 64;  // connections that were not accepted yet

/// The address of the socket by way of its directory's descriptor, as a path of a socket has 107 bytes.
Result<sockaddr_un> address_in(int directory, const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  auto path = fmt::format("/proc/self/fd/{}/{}", directory, name);
  if (path.size() >= sizeof address.sun_path)
    return Error(ErrorCode::invalid_argument, "the name of the socket is too long: " + name);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Result<Fd> open_directory(const std::string& path) {
  return open_file(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
}

Result<Fd> create_socket(int flags) {
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0));
  if (!socket) return Error::from_errno(errno, "create a socket");
  return socket;
}

}  // namespace

Result<Fd> listen_at(const std::string& directory, const std::string& name) {
  auto opened = TRY(open_directory(directory));
  auto socket = TRY(create_socket(SOCK_NONBLOCK));
  auto address = TRY(address_in(opened.get(), name));
  if (::unlinkat(opened.get(), name.c_str(), 0) < 0 && errno != ENOENT)
    return Error::from_errno(errno, "remove an old " + name);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0)
    return Error::from_errno(errno, "bind " + name + " in " + directory);
  if (::listen(socket.get(), kWaiting) < 0) return Error::from_errno(errno, "listen on " + name);
  return socket;
}

Result<Fd> connect_to(const std::string& directory, const std::string& name, bool patient) {
  auto opened = TRY(open_directory(directory));
  auto socket = TRY(create_socket(patient ? 0 : SOCK_NONBLOCK));
  auto address = TRY(address_in(opened.get(), name));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return socket;
  if (errno == ENOENT || errno == ECONNREFUSED)
    return Error(ErrorCode::not_found, fmt::format("nobody listens at {} in {}", name, directory));
  if (errno == EAGAIN)
    return Error(ErrorCode::timed_out,
                 fmt::format("who listens at {} in {} accepts nobody", name, directory));
  return Error::from_errno(errno, fmt::format("connect to {} in {}", name, directory));
}

}  // namespace belljar::os
