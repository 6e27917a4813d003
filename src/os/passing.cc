#include "os/passing.h"

#include <cerrno>
#include <cstring>

#include <sys/socket.h>

namespace belljar::os {

namespace {

void collect_fds(msghdr& header, std::vector<Fd>& fds) {
  for (auto* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    auto count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part) + i * sizeof(int), sizeof number);
      fds.emplace_back(number);
    }
  }
}

}  // namespace

Result<void> send_message(int socket, BytesView bytes, std::span<const int> fds) {
  CHECK(fds.size() <= kMaxPassedFds && bytes.size() <= kMaxMessage);
  iovec part{.iov_base = const_cast<std::uint8_t*>(bytes.data()), .iov_len = bytes.size()};  // NOLINT
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxPassedFds)] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!fds.empty()) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(fds.size_bytes());
    auto* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(rights), fds.data(), fds.size_bytes());
  }
  while (::sendmsg(socket, &header, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) return Error::from_errno(errno, "send a message");
  return {};
}

Result<std::optional<Message>> receive_message(int socket) {
  Message message;
  message.bytes.resize(kMaxMessage);
  iovec part{.iov_base = message.bytes.data(), .iov_len = message.bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxPassedFds)];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t count = 0;
  while ((count = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC)) < 0)
    if (errno != EINTR) return Error::from_errno(errno, "receive a message");
  collect_fds(header, message.fds);
  if ((header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    return Error(ErrorCode::malformed, "a message larger than its bound");
  if (count == 0 && message.fds.empty()) return std::optional<Message>{};
  message.bytes.resize(static_cast<std::size_t>(count));
  return std::optional<Message>(std::move(message));
}

}  // namespace belljar::os
