// Address, Endpoint: IP addresses and address:port as values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/bytes.h"
#include "base/result.h"

namespace belljar::net {

/// An IPv4 or IPv6 address without zone. An IPv4 address spelled as IPv6 ("::ffff:1.2.3.4") stays IPv6.
class Address {
 public:
  static Address v4(std::array<std::uint8_t, 4> bytes);
  static Address v6(const std::array<std::uint8_t, 16>& bytes);
  /// Dotted decimal with four parts and no leading zeros (RFC 6943 section 3.1.1, strict), or RFC 4291
  /// section 2.2 without zone and brackets. Everything else is `malformed`.
  static Result<Address> parse(std::string_view text);

  [[nodiscard]] bool is_v4() const { return v4_; }
  [[nodiscard]] bool is_v6() const { return !v4_; }
  /// 4 or 16 bytes in network order, borrowed.
  [[nodiscard]] BytesView bytes() const { return BytesView(bytes_).first(v4_ ? 4 : 16); }
  [[nodiscard]] std::string to_string() const;
  auto operator<=>(const Address&) const = default;

 private:
  bool v4_ = true;
  std::array<std::uint8_t, 16> bytes_{};
};

struct Endpoint {
  Address address;
  std::uint16_t port = 0;

  /// "1.2.3.4:443" or "[2606:4700::1]:443", strictly; port 1 to 65535 without leading zeros.
  static Result<Endpoint> parse(std::string_view text);
  /// Of a peer or a local name as the kernel tells it; `unsupported` for other families.
  static Result<Endpoint> from(const sockaddr_storage& name);
  /// The length of what was filled in.
  socklen_t fill(sockaddr_storage& name) const;
  [[nodiscard]] std::string to_string() const;
  auto operator<=>(const Endpoint&) const = default;
};

/// A port as text: 1 to 65535, decimal, no sign, no leading zeros.
Result<std::uint16_t> parse_port(std::string_view text);

}  // namespace belljar::net
