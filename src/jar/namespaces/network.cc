#include "jar/namespaces/network.h"

#include <cerrno>

#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "jar/denied.h"
#include "jar/namespaces/firewall.h"
#include "os/netlink.h"

namespace belljar::jar {

namespace {

constexpr int kLoopbackIndex = 1;                  // lo is the first interface of every network namespace
constexpr std::uint32_t kOwnAddress = 0xC6120001;  // 198.18.0.1, below the resolver's synthetic ones

/// An address beside 127.0.0.1: programs that resolve names with AI_ADDRCONFIG (wget, apt, getent ahostsv4)
/// ask for no IPv4 address at all where loopback has the only one.
Result<void> add_own_address(int socket) {
  ifaddrmsg address{};
  address.ifa_family = AF_INET;
  address.ifa_prefixlen = 32;
  address.ifa_scope = RT_SCOPE_UNIVERSE;
  address.ifa_index = kLoopbackIndex;
  os::NetlinkBatch batch;
  batch.message(RTM_NEWADDR, NLM_F_ACK | NLM_F_CREATE)
      .raw(&address, sizeof address)
      .big_u32(IFA_LOCAL, kOwnAddress)
      .big_u32(IFA_ADDRESS, kOwnAddress);
  return os::perform(socket, batch).context("give the jar an address");
}

/// `ip link set lo up; ip route add local default dev lo` for both families. IPv6 has no door: its route only
/// brings packets to the filter, which refuses them at once and can log them.
Result<void> raise_loopback() {
  os::NetlinkBatch batch;
  ifinfomsg link{};
  link.ifi_index = kLoopbackIndex;
  link.ifi_flags = IFF_UP;
  link.ifi_change = IFF_UP;
  batch.message(RTM_NEWLINK, NLM_F_ACK).raw(&link, sizeof link);
  auto socket = TRY(os::open_netlink(NETLINK_ROUTE));
  TRY(os::perform(socket.get(), batch).context("bring up the jar's loopback"));
  TRY(add_own_address(socket.get()));

  for (std::uint8_t family : {std::uint8_t{AF_INET}, std::uint8_t{AF_INET6}}) {
    rtmsg route{};
    route.rtm_family = family;
    route.rtm_type = RTN_LOCAL;
    route.rtm_scope = family == AF_INET ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE;
    route.rtm_table = RT_TABLE_MAIN;
    route.rtm_protocol = RTPROT_BOOT;
    os::NetlinkBatch add;
    add.message(RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE)
        .raw(&route, sizeof route)
        .u32(RTA_OIF, kLoopbackIndex);
    auto added = os::perform(socket.get(), add);
    // A kernel without IPv6 has nothing to refuse.
    if (!added && family == AF_INET) return std::move(added).error().context("make every destination local");
  }
  return {};
}

/// Netfilter's log, bound to the group of our rules.
Result<os::Fd> open_packet_log() {
  auto socket = TRY(os::open_netlink(NETLINK_NETFILTER));
  constexpr auto kConfigure = static_cast<std::uint16_t>(NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_CONFIG);
  nfgenmsg head{AF_UNSPEC, NFNETLINK_V0, htons(kDeniedLogGroup)};
  nfulnl_msg_config_cmd bind{NFULNL_CFG_CMD_BIND};
  nfulnl_msg_config_mode mode{htonl(kDeniedCopyRange), NFULNL_COPY_PACKET, 0};
  os::NetlinkBatch batch;
  batch.message(kConfigure, NLM_F_ACK)
      .raw(&head, sizeof head)
      .attribute(NFULA_CFG_CMD, {reinterpret_cast<const std::uint8_t*>(&bind), sizeof bind})
      .attribute(NFULA_CFG_MODE, {reinterpret_cast<const std::uint8_t*>(&mode), sizeof mode})
      .big_u32(NFULA_CFG_QTHRESH, 1);  // tell at once
  TRY(os::perform(socket.get(), batch));
  TRY(os::set_nonblocking(socket.get()));
  return socket;
}

Result<os::Fd> open_listener(int type, std::uint16_t port) {
  os::Fd socket(::socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return Error::from_errno(errno, "create a socket of the door");
  // 127.0.0.1, not the wildcard: answers to redirected queries must leave from the address the redirect
  // chose.
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) < 0)
    return Error::from_errno(errno, "bind a socket of the door");
  if (type == SOCK_STREAM && ::listen(socket.get(), SOMAXCONN) < 0)
    return Error::from_errno(errno, "listen at the door");
  return socket;
}

}  // namespace

Result<Door> create_network() {
  TRY(raise_loopback());
  Door door;
  auto log = open_packet_log();
  if (log) door.denied = std::move(log).value();
  auto netfilter = TRY(os::open_netlink(NETLINK_NETFILTER));
  TRY(os::perform(netfilter.get(), firewall_rules(door.denied.valid()))
          .context("load the jar's packet filter (nf_tables)")
          .hint("belljar doctor"));
  door.tcp = TRY(open_listener(SOCK_STREAM, kDoorPort));
  door.resolver_udp = TRY(open_listener(SOCK_DGRAM, kResolverPort));
  door.resolver_tcp = TRY(open_listener(SOCK_STREAM, kResolverPort));
  return door;
}

}  // namespace belljar::jar
