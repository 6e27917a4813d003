#include "bin/init/socket.h"

#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <unistd.h>

namespace belljar::init {

namespace {

void take_fds(msghdr& header, Request& request) {
  for (auto* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    auto count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count && request.fd_count < kMaxRequestFds; ++i)
      std::memcpy(&request.fds[request.fd_count++], CMSG_DATA(part) + i * sizeof(int), sizeof(int));
  }
}

}  // namespace

void Request::close_fds() {
  for (int i = 0; i < fd_count; ++i)
    ::close(fds[i]);
  fd_count = 0;
}

bool receive_request(Request& request) {
  request.fd_count = 0;
  iovec part{&request.head, sizeof request.head};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxRequestFds)];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t count = 0;
  while ((count = ::recvmsg(jar::kInitSocket, &header, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
    continue;
  if (count > 0) take_fds(header, request);
  return count == sizeof request.head && (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
}

void send_reply(const jar::InitReply& reply, int fd) {
  iovec part{const_cast<jar::InitReply*>(&reply), sizeof reply};  // NOLINT: sendmsg only reads
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (fd >= 0) {
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    auto* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(rights), &fd, sizeof fd);
  }
  while (::sendmsg(jar::kInitSocket, &header, MSG_NOSIGNAL) < 0 && errno == EINTR)
    continue;
}

}  // namespace belljar::init
