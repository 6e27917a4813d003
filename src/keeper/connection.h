// Connection: the keeper's end of a socket to one command.
#pragma once

#include <optional>
#include <span>

#include "io/fd_stream.h"
#include "keeper/protocol.h"

namespace belljar::keeper {

struct Received {
  Request request;
  std::vector<os::Fd> fds;
};

class Connection {
 public:
  explicit Connection(io::MessageSocket socket) : socket_(std::move(socket)) {}

  /// Nothing when the command is gone, however it went; `malformed` and `unsupported` for what is no request.
  Result<std::optional<Received>> receive(rt::Deadline deadline = rt::Deadline::never());
  /// Waits while the command does not read; that it is gone is an error.
  Result<void> send(const Answer& answer, std::span<const int> fds = {},
                    rt::Deadline deadline = rt::Deadline::never());

 private:
  io::MessageSocket socket_;
};

}  // namespace belljar::keeper
