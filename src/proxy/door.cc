#include "proxy/door.h"

#include <cerrno>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/log.h"
#include "io/fd_stream.h"
#include "proxy/connection.h"
#include "rt/channel.h"
#include "rt/nursery.h"

namespace belljar::proxy {

namespace {

/// Counts a connection for as long as it lives.
class Place {
 public:
  Place(std::size_t& taken, rt::WaitList& freed) : taken_(taken), freed_(freed) { ++taken_; }
  ~Place() {
    --taken_;
    freed_.wake_one();
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  std::size_t& taken_;
  rt::WaitList& freed_;
};

/// The next connection; nothing when it was gone before it was accepted.
Result<os::Fd> accept_one(int listener) {
  TRY(rt::await_readable(listener, rt::Deadline::never()));
  os::Fd accepted(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (accepted) return accepted;
  switch (errno) {
    case EAGAIN:
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
      return os::Fd();
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      log::warning("no descriptors or memory for a connection");
      TRY(rt::sleep(std::chrono::milliseconds(100)));
      return os::Fd();
    default:
      return Error::from_errno(errno, "accept a connection of the jar");
  }
}

void serve_one(Context& context, os::Fd accepted) {
  int socket = accepted.get();
  int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  auto destination = destination_of(socket, context.names);
  if (!destination.ok()) return log::warning("{}", destination.error().to_string());
  auto stream = io::open_fd_stream(std::move(accepted));
  if (!stream.ok()) return log::warning("{}", stream.error().to_string());
  Connection(context, **stream, socket, std::move(*destination)).serve();
}

}  // namespace

Result<void> serve_door(Context& context, os::Fd listener) {
  TRY(os::set_nonblocking(listener.get()));
  std::size_t taken = 0;
  rt::WaitList freed;
  rt::Nursery connections;
  while (true) {
    while (taken >= kMaxConnections)
      TRY(freed.wait(rt::Deadline::never()));
    auto accepted = TRY(accept_one(listener.get()));
    if (!accepted) continue;
    auto place = std::make_shared<Place>(taken, freed);
    auto socket = std::make_shared<os::Fd>(std::move(accepted));
    connections.start([&context, place, socket]() -> Result<void> {
      serve_one(context, std::move(*socket));
      return {};
    });
  }
}

}  // namespace belljar::proxy
