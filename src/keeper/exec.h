// A further program in a running jar, from the request to its end.
#pragma once

#include "keeper/connection.h"

namespace belljar::keeper {

class Keeper;

/// The program ends with the connection: it is hung up on, and killed when that is not enough.
Result<void> serve_exec(Keeper& keeper, Connection& connection, Received received);

}  // namespace belljar::keeper
