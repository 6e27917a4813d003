// The gateway of a running jar, as its starter sees it: three processes joined by sockets that nobody else
// holds, so that the death of one is seen by its neighbours and nothing is served in its place.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "jar/jar_spec.h"
#include "keeper/ledger.h"
#include "keeper/worker.h"
#include "policy/policy.h"

namespace belljar::keeper {

/// What the gateway is given of the host.
struct GatewayInputs {
  policy::Policy policy;
  std::string ca_certificate;
  Secret ca_key;
};

/// Starts proxy, scan and egress and hands the door over. In this order, so that each finds its neighbour.
Result<std::vector<Worker>> start_gateway(const std::string& libexec_directory, GatewayInputs inputs,
                                          jar::Door door, Ledger& ledger);

/// The certificates that the host trusts (PEM): the file of SSL_CERT_FILE, else the system's bundle.
Result<std::string> read_trust_store();

}  // namespace belljar::keeper
