#include "net/special_use.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

#include <unistd.h>

#include "os/fd.h"

namespace belljar::net {

namespace {

struct Range {
  std::array<std::uint8_t, 16> prefix;
  std::size_t bits;
  std::string_view use;
};

bool contains(const Range& range, BytesView address) {
  std::size_t whole = range.bits / 8;
  if (!std::equal(address.begin(), address.begin() + static_cast<std::ptrdiff_t>(whole),
                  range.prefix.begin()))
    return false;
  std::size_t rest = range.bits % 8;
  if (rest == 0) return true;
  auto mask = static_cast<std::uint8_t>(0xFF << (8 - rest));
  return ((address[whole] ^ range.prefix[whole]) & mask) == 0;
}

std::optional<std::string_view> find(std::span<const Range> ranges, BytesView address) {
  for (const auto& range : ranges)
    if (contains(range, address)) return range.use;
  return std::nullopt;
}

// IANA IPv4 Special-Purpose Address Registry, multicast (RFC 5771) and the clouds' services elsewhere.
constexpr Range kV4[] = {
    {{0}, 8, "this host (0.0.0.0/8)"},
    {{10}, 8, "private network (10.0.0.0/8)"},
    {{100, 100, 100, 200}, 32, "cloud metadata (100.100.100.200)"},
    {{100, 64}, 10, "shared address space (100.64.0.0/10)"},
    {{127}, 8, "loopback (127.0.0.0/8)"},
    {{168, 63, 129, 16}, 32, "cloud platform service (168.63.129.16)"},
    {{169, 254}, 16, "link-local and cloud metadata (169.254.0.0/16)"},
    {{172, 16}, 12, "private network (172.16.0.0/12)"},
    {{192, 0, 0}, 24, "protocol assignments and cloud metadata (192.0.0.0/24)"},
    {{192, 0, 2}, 24, "documentation (192.0.2.0/24)"},
    {{192, 31, 196}, 24, "AS112 sink (192.31.196.0/24)"},
    {{192, 52, 193}, 24, "multicast relays (192.52.193.0/24)"},
    {{192, 88, 99}, 24, "6to4 relays (192.88.99.0/24)"},
    {{192, 168}, 16, "private network (192.168.0.0/16)"},
    {{192, 175, 48}, 24, "AS112 sink (192.175.48.0/24)"},
    {{198, 18}, 15, "benchmarking and the jar's synthetic names (198.18.0.0/15)"},
    {{198, 51, 100}, 24, "documentation (198.51.100.0/24)"},
    {{203, 0, 113}, 24, "documentation (203.0.113.0/24)"},
    {{224}, 4, "multicast (224.0.0.0/4)"},
    {{240}, 4, "reserved and broadcast (240.0.0.0/4)"},
};

// Only for better words than "not global unicast", which denies all of these as well.
constexpr Range kV6NotGlobal[] = {
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, "loopback (::1)"},
    {{0}, 128, "this host (::)"},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}, 96, "IPv4 spelled as IPv6 (::ffff:0:0/96)"},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}, 96, "IPv4 spelled as IPv6 (::ffff:0:0:0/96)"},
    {{0}, 96, "IPv4 spelled as IPv6 (::/96)"},
    {{0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01}, 48, "local translation to IPv4 (64:ff9b:1::/48)"},
    {{0x01}, 64, "discard-only (100::/64)"},
    {{0x5F}, 16, "segment routing (5f00::/16)"},
    {{0xFC}, 7, "unique local and cloud metadata (fc00::/7)"},
    {{0xFE, 0x80}, 10, "link-local (fe80::/10)"},
    {{0xFE, 0xC0}, 10, "site-local (fec0::/10)"},
    {{0xFF}, 8, "multicast (ff00::/8)"},
};

// Within global unicast: the IANA IPv6 Special-Purpose Address Registry.
constexpr Range kV6[] = {
    {{0x20, 0x01, 0x00, 0x00}, 32, "Teredo, which embeds IPv4 (2001::/32)"},
    {{0x20, 0x01, 0x00}, 23, "protocol assignments (2001::/23)"},
    {{0x20, 0x01, 0x0D, 0xB8}, 32, "documentation (2001:db8::/32)"},
    {{0x20, 0x02}, 16, "6to4, which embeds IPv4 (2002::/16)"},
    {{0x26, 0x20, 0x00, 0x4F, 0x80, 0x00}, 48, "AS112 sink (2620:4f:8000::/48)"},
    {{0x3F, 0xFE}, 16, "6bone, returned (3ffe::/16)"},
    {{0x3F, 0xFF, 0x00}, 20, "documentation (3fff::/20)"},
};

constexpr Range kGlobalUnicast = {{0x20}, 3, ""};  // RFC 4291: all that IANA has given out, 2000::/3
constexpr Range kNat64 = {{0x00, 0x64, 0xFF, 0x9B}, 96, ""};

bool is_isatap(BytesView address) {
  return (address[8] & 0xFD) == 0 && address[9] == 0 && address[10] == 0x5E && address[11] == 0xFE;
}

std::optional<std::string_view> special_use_v6(BytesView address) {
  // In a network without IPv4 the resolver answers with these: as public as what they embed.
  if (contains(kNat64, address)) return find(kV4, address.subspan(12));
  if (auto use = find(kV6NotGlobal, address)) return use;
  if (!contains(kGlobalUnicast, address)) return "reserved (outside 2000::/3)";
  if (auto use = find(kV6, address)) return use;
  if (is_isatap(address)) return "ISATAP, which embeds IPv4 (RFC 5214)";
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> special_use(const Address& address) {
  return address.is_v4() ? find(kV4, address.bytes()) : special_use_v6(address.bytes());
}

Result<bool> is_own_address(const Address& address) {
  os::Fd socket(::socket(address.is_v4() ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return Error::from_errno(errno, "ask for a route");
  sockaddr_storage name;
  auto length = Endpoint{.address = address, .port = 9}.fill(name);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), length) < 0)
    return Error::from_errno(errno, "ask for a route to " + address.to_string());
  // The source of what we would send to ourselves is its destination.
  sockaddr_storage source;
  length = sizeof source;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&source), &length) < 0)
    return Error::from_errno(errno, "ask for a route to " + address.to_string());
  return TRY(Endpoint::from(source)).address == address;
}

}  // namespace belljar::net
