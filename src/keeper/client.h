// What a command is answered, from its first request to the end of its connection; each in a fiber of its
// own.
#pragma once

#include "keeper/connection.h"

namespace belljar::keeper {

class Keeper;
class Viewer;

/// The command that started the jar: hears of the start, sees the program's terminal, hears the end.
void serve_starter(Keeper& keeper, Connection& connection);
/// One that came through keeper.sock.
void serve_command(Keeper& keeper, Connection& connection);

/// Shows a terminal until its end, or until this viewer is sent away.
Result<void> show(Connection& connection, Viewer& viewer);

}  // namespace belljar::keeper
