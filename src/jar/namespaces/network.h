// The jar's network: a namespace with `lo` and nothing else. Every IPv4 destination is local to it (AnyIP),
// so a connection to anywhere meets the door's listener, redirected by the packet filter (firewall.h).
#pragma once

#include "base/result.h"
#include "jar/jar_spec.h"

namespace belljar::jar {

/// Sets up the network namespace that this process is in, and opens the door in it. For the child, with all
/// capabilities in its namespaces.
Result<Door> create_network();

}  // namespace belljar::jar
