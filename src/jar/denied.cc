#include "jar/denied.h"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/core.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace belljar::jar {

namespace {

std::uint16_t big_u16(BytesView bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

void take_port(DeniedPacket& packet, BytesView payload, std::size_t at) {
  bool has_ports = packet.protocol == IPPROTO_TCP || packet.protocol == IPPROTO_UDP;
  if (has_ports && payload.size() >= at + 4) packet.port = big_u16(payload, at + 2);
}

std::optional<DeniedPacket> decode_ip(BytesView payload) {
  if (payload.empty()) return std::nullopt;
  DeniedPacket packet;
  if (payload[0] >> 4 == 4 && payload.size() >= 20) {
    packet.protocol = payload[9];
    std::memcpy(packet.destination.data(), payload.data() + 16, 4);
    bool first_fragment = (big_u16(payload, 6) & 0x1fff) == 0;
    if (first_fragment) take_port(packet, payload, static_cast<std::size_t>(payload[0] & 15) * 4);
    return packet;
  }
  if (payload[0] >> 4 == 6 && payload.size() >= 40) {
    packet.ipv6 = true;
    packet.protocol = payload[6];
    std::memcpy(packet.destination.data(), payload.data() + 24, 16);
    take_port(packet, payload, 40);
    return packet;
  }
  return std::nullopt;
}

/// The value of the first attribute of this type.
BytesView find_attribute(BytesView rest, std::uint16_t type) {
  while (rest.size() >= sizeof(nlattr)) {
    nlattr header;
    std::memcpy(&header, rest.data(), sizeof header);
    if (header.nla_len < sizeof header || header.nla_len > rest.size()) break;
    if ((header.nla_type & NLA_TYPE_MASK) == type)
      return rest.subspan(sizeof header, header.nla_len - sizeof header);
    auto step = (std::size_t{header.nla_len} + 3) & ~std::size_t{3};
    if (step > rest.size()) break;
    rest = rest.subspan(step);
  }
  return {};
}

}  // namespace

std::optional<DeniedPacket> decode_denied(BytesView datagram) {
  constexpr std::uint16_t kPacket = NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_PACKET;
  nlmsghdr header;
  if (datagram.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, datagram.data(), sizeof header);
  constexpr std::size_t kStart = sizeof header + sizeof(nfgenmsg);
  if (header.nlmsg_type != kPacket || header.nlmsg_len > datagram.size() || header.nlmsg_len < kStart)
    return std::nullopt;
  return decode_ip(find_attribute(datagram.subspan(kStart, header.nlmsg_len - kStart), NFULA_PAYLOAD));
}

Result<std::optional<DeniedPacket>> read_denied(int socket) {
  while (true) {
    alignas(nlmsghdr) std::uint8_t buffer[4096];
    auto count = ::recv(socket, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count < 0 && (errno == EINTR || errno == ENOBUFS)) continue;
    if (count < 0 && errno == EAGAIN) return std::optional<DeniedPacket>{};
    if (count < 0) return Error::from_errno(errno, "read the packet log");
    auto packet = decode_denied({buffer, static_cast<std::size_t>(count)});
    if (packet) return packet;
  }
}

std::string DeniedPacket::to_string() const {
  char text[INET6_ADDRSTRLEN] = {};
  ::inet_ntop(ipv6 ? AF_INET6 : AF_INET, destination.data(), text, sizeof text);
  std::string host = ipv6 ? fmt::format("[{}]", text) : text;
  if (protocol == IPPROTO_TCP || protocol == IPPROTO_UDP)
    return fmt::format("{} {}:{}", protocol == IPPROTO_TCP ? "tcp" : "udp", host, port);
  if (protocol == IPPROTO_ICMP || protocol == IPPROTO_ICMPV6) return "icmp " + host;
  return fmt::format("protocol {} {}", protocol, host);
}

}  // namespace belljar::jar
