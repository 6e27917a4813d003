// Passing descriptors: one message with what it carries, over a SOCK_SEQPACKET pair of AF_UNIX.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "os/fd.h"

namespace belljar::os {

inline constexpr std::size_t kMaxPassedFds = 16;
inline constexpr std::size_t kMaxMessage = 64U << 10;

struct Message {
  Bytes bytes;
  std::vector<Fd> fds;  ///< close-on-exec
};

/// Sends one message; `fds` stay the caller's. would-block is Error{system, EAGAIN}.
Result<void> send_message(int socket, BytesView bytes, std::span<const int> fds = {});

/// The next message, nothing when the peer has closed. A message that was cut (bytes or descriptors) is
/// `malformed`. would-block is Error{system, EAGAIN}.
Result<std::optional<Message>> receive_message(int socket);

}  // namespace belljar::os
