// Authority: the "host[:port]" of a URL or of a user's configuration. RFC 3986 section 3.2, less of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/address.h"

namespace belljar::net {

struct Authority {
  /// Lower case, without trailing dot; of an address its canonical text, without brackets.
  std::string host;
  std::optional<Address> address;     ///< when the host is one
  std::optional<std::uint16_t> port;  ///< when given

  /// No user information, no percent-encoding, no empty port. A name is letters, digits, hyphens and
  /// underscores in labels of 1 to 63, 253 in all. A name that ends in a number is no name but an address in
  /// some spelling (127.1, 0x7f.1, 2130706433) and only the strict one is taken.
  static Result<Authority> parse(std::string_view text);
  /// With brackets where they belong.
  [[nodiscard]] std::string to_string() const;
  bool operator==(const Authority&) const = default;
};

}  // namespace belljar::net
