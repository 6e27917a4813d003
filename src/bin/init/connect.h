// Connections to servers in the jar, for whoever the user lets in from the host (belljar forward).
#pragma once

#include "bin/init/socket.h"

namespace belljar::init {

/// Begins the connection that the request describes and answers with its socket.
void connect_port(const Request& request);

}  // namespace belljar::init
