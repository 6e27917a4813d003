// Destination: where a connection of the jar meant to go, before the door turned it to us.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "dns/name_pool.h"
#include "policy/policy.h"

namespace belljar::proxy {

struct Destination {
  /// The name behind a synthetic address of the resolver; nothing when the jar dialled an address of its own.
  std::optional<std::string> name;
  std::string address;  ///< dotted, as dialled
  std::uint16_t port = 0;

  /// The name, or the address where there is none: what the ledger and the reasons say.
  [[nodiscard]] const std::string& host() const { return name ? *name : address; }
};

/// Of an accepted connection: SO_ORIGINAL_DST where a redirect turned it here, else the local address (a
/// route of kind "local" keeps it).
Result<Destination> destination_of(int socket, const dns::NamePool& names);

/// What is known of a connection before its first request: whether any request to it could pass.
policy::Judgement judge_destination(const policy::Policy& policy, policy::Scheme scheme,
                                    const Destination& destination);

}  // namespace belljar::proxy
