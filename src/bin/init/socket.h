// init's end of the socket to belljar (jar/init_protocol.h).
#pragma once

#include "jar/init_protocol.h"

namespace belljar::init {

inline constexpr int kMaxRequestFds = 4;

struct Request {
  jar::InitRequest head;
  int fds[kMaxRequestFds];
  int fd_count;

  void close_fds();
};

/// The next request; false when belljar is gone or what came is no request.
bool receive_request(Request& request);
/// `fd` is attached unless it is -1.
void send_reply(const jar::InitReply& reply, int fd = -1);

}  // namespace belljar::init
