#include "net/network.h"

#include <algorithm>
#include <cerrno>

#include "io/fd_stream.h"
#include "net/special_use.h"
#include "os/fd.h"
#include "rt/loop.h"

namespace belljar::net {

namespace {

Result<void> finish_connecting(int socket, const Endpoint& endpoint, rt::Deadline deadline) {
  TRY(rt::await_writable(socket, deadline));
  int failed = 0;
  socklen_t length = sizeof failed;
  if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &failed, &length) < 0) failed = errno;
  if (failed != 0) return Error::from_errno(failed, "connect to " + endpoint.to_string());
  return {};
}

}  // namespace

Result<std::unique_ptr<io::Stream>> DirectNetwork::connect(const Endpoint& endpoint, rt::Deadline deadline) {
  int family = endpoint.address.is_v4() ? AF_INET : AF_INET6;
  os::Fd socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return Error::from_errno(errno, "create a socket");
  sockaddr_storage name;
  auto length = endpoint.fill(name);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), length) < 0) {
    // Interrupted by a signal, a connection goes on being made all the same.
    if (errno != EINPROGRESS && errno != EINTR)
      return Error::from_errno(errno, "connect to " + endpoint.to_string());
    TRY(finish_connecting(socket.get(), endpoint, deadline).context("connecting to " + endpoint.to_string()));
  }
  return io::open_fd_stream(std::move(socket));
}

Result<void> PublicOnlyNetwork::may_connect(const Endpoint& endpoint) const {
  if (endpoint.port == 0) return Error(ErrorCode::permission_denied, "port 0");
  if (std::find(named_.begin(), named_.end(), endpoint) != named_.end()) return {};
  if (auto use = special_use(endpoint.address))
    return Error(ErrorCode::permission_denied,
                 endpoint.to_string() + " is not public: " + std::string(*use) + ", and was not named");
  if (TRY(is_own_address(endpoint.address)))
    return Error(ErrorCode::permission_denied,
                 endpoint.to_string() + " is this host itself, and was not named");
  return {};
}

Result<std::unique_ptr<io::Stream>> PublicOnlyNetwork::connect(const Endpoint& endpoint,
                                                               rt::Deadline deadline) {
  TRY(may_connect(endpoint));
  return below_.connect(endpoint, deadline);
}

}  // namespace belljar::net
