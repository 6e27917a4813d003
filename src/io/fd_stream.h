// FdStream: a Stream over a socket, pipe or terminal of the running loop.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "io/stream.h"
#include "os/fd.h"
#include "os/passing.h"

namespace belljar::io {

/// Takes the descriptor over and makes it non-blocking. close_write() is shutdown(SHUT_WR) on a socket and close
/// on anything else.
Result<std::unique_ptr<Stream>> open_fd_stream(os::Fd fd);

/// SEQPACKET messages with descriptors (os/passing.h), waiting as a fiber does.
class MessageSocket {
 public:
  /// Takes the socket over and makes it non-blocking.
  static Result<MessageSocket> open(os::Fd socket);
  MessageSocket() = default;

  Result<void> send(BytesView bytes, std::span<const int> fds, rt::Deadline deadline);
  /// Nothing when the peer has closed.
  Result<std::optional<os::Message>> receive(rt::Deadline deadline);
  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  os::Fd socket_;
};

}  // namespace belljar::io
