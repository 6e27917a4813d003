// What the terminal of a jar's program has shown, as text.
#pragma once

#include "keeper/connection.h"

namespace belljar::keeper {

class Keeper;

/// The lines that have scrolled away and the screen; with `follow`, lines as they scroll away, until the end.
Result<void> serve_logs(Keeper& keeper, Connection& connection, const request::Logs& wanted);
/// Why there is nothing to show, and what to do instead.
Error no_terminal(const Keeper& keeper);

}  // namespace belljar::keeper
