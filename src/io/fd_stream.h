// FdStream: a Stream over a socket, pipe or terminal of the running loop.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "io/stream.h"
#include "os/fd.h"
#include "os/passing.h"

namespace belljar::io {

/// Takes the descriptor over; reads and writes need a fiber. close_write() is shutdown(SHUT_WR) on a socket,
/// close on what can only be written, and nothing on a terminal. A peer that is gone is `closed`, never
/// SIGPIPE (which the first pipe or terminal makes this process ignore; os::spawn gives it back to programs).
Result<std::unique_ptr<Stream>> open_fd_stream(os::Fd fd);

/// SEQPACKET messages with descriptors (os/passing.h), waiting as a fiber does.
class MessageSocket {
 public:
  /// Takes the socket over and makes it non-blocking.
  static Result<MessageSocket> open(os::Fd socket);
  MessageSocket();
  MessageSocket(MessageSocket&&) noexcept;
  MessageSocket& operator=(MessageSocket&&) noexcept;
  ~MessageSocket();

  /// Any number of fibers may send at a time; one receives.
  Result<void> send(BytesView bytes, std::span<const int> fds, rt::Deadline deadline);
  /// Nothing when the peer has closed.
  Result<std::optional<os::Message>> receive(rt::Deadline deadline);
  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  struct Senders;
  os::Fd socket_;
  std::unique_ptr<Senders> senders_;
};

}  // namespace belljar::io
