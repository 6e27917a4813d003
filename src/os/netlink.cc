#include "os/netlink.h"

#include <cerrno>
#include <cstring>

#include <fmt/core.h>
#include <linux/netlink.h>
#include <sys/socket.h>

namespace belljar::os {

namespace {

constexpr std::size_t align(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

template <typename Value>
BytesView big_endian(Value value, std::uint8_t (&out)[sizeof(Value)]) {
  for (std::size_t i = 0; i < sizeof(Value); ++i)
    out[i] = static_cast<std::uint8_t>(value >> (8 * (sizeof(Value) - 1 - i)));
  return out;
}

}  // namespace

NetlinkBatch& NetlinkBatch::message(std::uint16_t type, std::uint16_t flags) {
  CHECK(open_.empty());
  message_ = bytes_.size();
  nlmsghdr header{};
  header.nlmsg_type = type;
  header.nlmsg_flags = static_cast<std::uint16_t>(flags | NLM_F_REQUEST);
  header.nlmsg_seq = ++sequence_;
  if ((flags & NLM_F_ACK) != 0) ++acknowledgements_;
  return raw(&header, sizeof header);
}

NetlinkBatch& NetlinkBatch::raw(const void* bytes, std::size_t size) {
  const auto* first = static_cast<const std::uint8_t*>(bytes);
  bytes_.insert(bytes_.end(), first, first + size);
  bytes_.resize(align(bytes_.size()));
  fix_length();
  return *this;
}

NetlinkBatch& NetlinkBatch::attribute(std::uint16_t type, BytesView value) {
  nlattr header{};
  header.nla_len = static_cast<std::uint16_t>(sizeof header + value.size());
  header.nla_type = type;
  raw(&header, sizeof header);
  return raw(value.data(), value.size());
}

NetlinkBatch& NetlinkBatch::text(std::uint16_t type, std::string_view value) {
  auto bytes = to_bytes(value);
  bytes.push_back(0);
  return attribute(type, bytes);
}

NetlinkBatch& NetlinkBatch::u8(std::uint16_t type, std::uint8_t value) {
  return attribute(type, {&value, 1});
}

NetlinkBatch& NetlinkBatch::u32(std::uint16_t type, std::uint32_t value) {
  std::uint8_t out[sizeof value];
  std::memcpy(out, &value, sizeof value);
  return attribute(type, out);
}

NetlinkBatch& NetlinkBatch::big_u16(std::uint16_t type, std::uint16_t value) {
  std::uint8_t out[sizeof value];
  return attribute(type, big_endian(value, out));
}

NetlinkBatch& NetlinkBatch::big_u32(std::uint16_t type, std::uint32_t value) {
  std::uint8_t out[sizeof value];
  return attribute(type, big_endian(value, out));
}

NetlinkBatch& NetlinkBatch::big_u64(std::uint16_t type, std::uint64_t value) {
  std::uint8_t out[sizeof value];
  return attribute(type, big_endian(value, out));
}

NetlinkBatch& NetlinkBatch::begin(std::uint16_t type) {
  open_.push_back(bytes_.size());
  nlattr header{};
  header.nla_type = static_cast<std::uint16_t>(type | NLA_F_NESTED);
  return raw(&header, sizeof header);
}

NetlinkBatch& NetlinkBatch::end() {
  CHECK(!open_.empty());
  auto size = static_cast<std::uint16_t>(bytes_.size() - open_.back());
  std::memcpy(bytes_.data() + open_.back(), &size, sizeof size);  // nla_len comes first
  open_.pop_back();
  return *this;
}

void NetlinkBatch::fix_length() {
  auto size = static_cast<std::uint32_t>(bytes_.size() - message_);
  std::memcpy(bytes_.data() + message_, &size, sizeof size);  // nlmsg_len comes first
}

Result<Fd> open_netlink(int protocol) {
  Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol));
  if (!socket) return Error::from_errno(errno, fmt::format("open a netlink socket of protocol {}", protocol));
  return socket;
}

Result<void> perform(int socket, const NetlinkBatch& batch) {
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  const auto& bytes = batch.bytes();
  if (::sendto(socket, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&kernel), sizeof kernel) <
      0)
    return Error::from_errno(errno, "send to netlink");
  for (unsigned left = batch.acknowledgements(); left > 0;) {
    alignas(nlmsghdr) char answer[8192];
    auto count = ::recv(socket, answer, sizeof answer, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error::from_errno(errno, "receive from netlink");
    std::size_t at = 0;
    auto size = static_cast<std::size_t>(count);
    while (left > 0 && at + sizeof(nlmsghdr) + sizeof(int) <= size) {
      nlmsghdr header;
      std::memcpy(&header, answer + at, sizeof header);
      if (header.nlmsg_len < sizeof header || header.nlmsg_len > size - at) break;
      if (header.nlmsg_type == NLMSG_ERROR) {
        int failure = 0;
        std::memcpy(&failure, answer + at + sizeof header, sizeof failure);
        if (failure != 0)
          return Error::from_errno(-failure, fmt::format("netlink request {}", header.nlmsg_seq));
        --left;
      }
      at += align(header.nlmsg_len);
    }
  }
  return {};
}

}  // namespace belljar::os
