// Dialer: from a name that policy allows to a connection to an address that was checked.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "egress/name_service.h"
#include "egress/upstream.h"
#include "net/network.h"
#include "policy/policy.h"
#include "tls/trust_store.h"

namespace belljar::egress {

/// The name leads to nothing that a jar may reach: a verdict, not a failure.
struct Forbidden {
  std::string reason;
  std::string origin;
};

class Dialer {
 public:
  /// All borrowed. `network` dials what it is told: every address is checked here first.
  Dialer(const policy::Policy& policy, NameService& names, net::Network& network, tls::TrustStore& trust)
      : policy_(policy), names_(names), network_(network), trust_(trust) {}

  /// Resolves, checks each address (public, or the name and port are an exception of the policy; of
  /// host.belljar.internal only named services, on the host's loopback), dials one that passed and speaks TLS
  /// where the scheme says so. Errors: not_found (the name), timed_out, permission_denied (the certificate),
  /// and those of connecting.
  Result<std::variant<std::unique_ptr<Upstream>, Forbidden>> dial(const Origin& origin);

 private:
  Result<std::variant<std::vector<net::Endpoint>, Forbidden>> candidates(const Origin& origin);
  Result<std::unique_ptr<io::Stream>> connect(const Origin& origin,
                                              const std::vector<net::Endpoint>& endpoints);

  const policy::Policy& policy_;
  NameService& names_;
  net::Network& network_;
  tls::TrustStore& trust_;
};

}  // namespace belljar::egress
