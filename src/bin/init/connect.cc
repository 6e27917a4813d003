#include "bin/init/connect.h"

#include <cerrno>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace belljar::init {

namespace {

int connect_loopback(int socket, int family, std::uint16_t port) {
  if (family == AF_INET) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  address.sin6_addr = in6addr_loopback;
  return ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

/// 0, or the errno of the connection. Waits for a moment only: on loopback a refusal is there at once, and a
/// server that does not accept must not hold init up.
int begin_connection(int socket, int family, std::uint16_t port) {
  constexpr int kMoment = 50;  // ms
  if (connect_loopback(socket, family, port) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd event{socket, POLLOUT, 0};
  if (::poll(&event, 1, kMoment) <= 0) return 0;
  int failure = 0;
  socklen_t size = sizeof failure;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 ? failure : errno;
}

}  // namespace

void connect_port(const Request& request) {
  constexpr std::uint32_t kSix = 6;
  int family = request.head.version == kSix ? AF_INET6 : AF_INET;
  jar::InitReply reply{};
  reply.kind = jar::InitReplyKind::started;
  reply.id = request.head.id;
  int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) {
    reply.failure = errno;
  } else {
    reply.failure = begin_connection(socket, family, static_cast<std::uint16_t>(request.head.number));
  }
  send_reply(reply, reply.failure == 0 ? socket : -1);
  if (socket >= 0) ::close(socket);
}

}  // namespace belljar::init
