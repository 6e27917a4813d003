// Which addresses are somebody's on the public internet, and which are this host, its networks or nobody.
//
// What an agent may reach is public unless it is named by address: everything that IANA's special-purpose
// registries (RFC 6890) list, everything that embeds an IPv4 address, and the clouds' metadata services.
#pragma once

#include <optional>
#include <string_view>

#include "net/address.h"

namespace belljar::net {

/// What an address that is not public is for ("private network", "cloud metadata"); nothing for a public one.
/// Pure. What belongs to this host by its own configuration is for is_own_address().
std::optional<std::string_view> special_use(const Address& address);

inline bool is_public(const Address& address) { return !special_use(address).has_value(); }

/// Whether this host (this network namespace) would answer there itself. Asks the routing table through a
/// UDP socket of the moment; no packet is sent. An answer that can't be had is an error, not a no.
Result<bool> is_own_address(const Address& address);

}  // namespace belljar::net
