#include "jar/denied.h"

#include <cstring>

#include <gtest/gtest.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>

namespace belljar::jar {
namespace {

/// A datagram of netfilter's log around these bytes of a packet.
Bytes datagram(const Bytes& packet) {
  Bytes bytes(sizeof(nlmsghdr) + sizeof(nfgenmsg));
  nlattr attribute{static_cast<std::uint16_t>(sizeof attribute + packet.size()), NFULA_PAYLOAD};
  const auto* raw = reinterpret_cast<const std::uint8_t*>(&attribute);
  bytes.insert(bytes.end(), raw, raw + sizeof attribute);
  bytes.insert(bytes.end(), packet.begin(), packet.end());
  nlmsghdr header{};
  header.nlmsg_len = static_cast<std::uint32_t>(bytes.size());
  header.nlmsg_type = NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_PACKET;
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

Bytes udp_packet() {
  Bytes packet = {0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0, 1, 2, 3, 4, 192, 0, 2, 1};
  packet.insert(packet.end(), {0x03, 0xe8, 0x01, 0xbb, 0, 8, 0, 0});
  return packet;
}

TEST(Denied, TellsWhereAPacketWasGoing) {
  auto packet = decode_denied(datagram(udp_packet()));
  ASSERT_TRUE(packet.has_value());
  EXPECT_EQ(packet->to_string(), "udp 192.0.2.1:443");
}

TEST(Denied, ALaterFragmentHasNoPort) {
  auto bytes = udp_packet();
  bytes[7] = 1;  // offset
  auto packet = decode_denied(datagram(bytes));
  ASSERT_TRUE(packet.has_value());
  EXPECT_EQ(packet->port, 0);
}

TEST(Denied, CutDatagramsTellNothing) {
  auto whole = datagram(udp_packet());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(decode_denied({whole.data(), size}).has_value()) << size;
  auto packet = udp_packet();
  for (std::size_t size = 0; size < 20; ++size)
    EXPECT_FALSE(
        decode_denied(datagram({packet.begin(), packet.begin() + static_cast<long>(size)})).has_value());
}

}  // namespace
}  // namespace belljar::jar
