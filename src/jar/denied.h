// What the jar's packet filter refused at once and reported over netfilter's log (Door::denied).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace belljar::jar {

struct DeniedPacket {
  bool ipv6 = false;
  std::uint8_t protocol = 0;                   ///< IANA protocol number: 6 TCP, 17 UDP, 1 ICMP, 58 ICMPv6 …
  std::array<std::uint8_t, 16> destination{};  ///< network order; the first 4 bytes for IPv4
  std::uint16_t port = 0;                      ///< destination port of TCP and UDP, else 0

  [[nodiscard]] std::string to_string()
      const;  ///< "udp 192.0.2.1:443", "tcp [2001:db8::1]:80", "protocol 47 to …"
};

/// The group of netfilter's log that the jar's rules report to.
inline constexpr std::uint16_t kDeniedLogGroup = 1;
/// Bytes of each packet that the kernel copies: an IPv6 header, one extension header and ports.
inline constexpr std::uint32_t kDeniedCopyRange = 96;

/// Decodes one datagram of the log socket; nothing when it holds no packet (an acknowledgement) or one too
/// short to tell. Bounded, for any bytes.
std::optional<DeniedPacket> decode_denied(BytesView datagram);

/// The next refused packet; nothing when there is none now. Datagrams that hold none are skipped; when the
/// kernel had to drop reports (ENOBUFS) it goes on.
Result<std::optional<DeniedPacket>> read_denied(int socket);

}  // namespace belljar::jar
