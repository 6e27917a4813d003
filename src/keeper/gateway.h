// The gateway of a running jar, as its starter sees it: three processes joined by sockets that nobody else
// holds, so that the death of one is seen by its neighbours and nothing is served in its place.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/placement.h"
#include "jar/jar_spec.h"
#include "keeper/authority.h"
#include "keeper/ledger.h"
#include "keeper/worker.h"
#include "policy/policy.h"

namespace belljar::keeper {

/// What every gateway of a jar is given, the first and those that are started in its place: with the same
/// authority and the same names, a running program goes on as before.
struct GatewayInputs {
  policy::Policy policy;
  std::string ca_certificate;
  os::Fd ca_key;  ///< PEM, in a sealed memory file
  os::Fd names;   ///< memory file in which the proxy keeps names, of a fixed size
  config::WrittenByJars written_by_jars = {};  ///< no trust store is read from there
};
Result<GatewayInputs> make_gateway_inputs(policy::Policy policy, Authority authority);

/// Starts proxy, scan and egress and gives them copies of the door's sockets. In an order in which each finds
/// its neighbour.
Result<std::vector<Worker>> start_gateway(const std::string& libexec_directory, const GatewayInputs& inputs,
                                          const jar::Door& door, Ledger& ledger);

/// The certificates that the host trusts (PEM): the file of SSL_CERT_FILE, else the system's bundle. An error
/// where a jar could have written it.
Result<std::string> read_trust_store(const config::WrittenByJars& written);
/// Whether it may be read; where the user has chosen none it may.
Result<void> check_trust_store(const config::WrittenByJars& written);

}  // namespace belljar::keeper
