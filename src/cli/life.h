// What the commands have in common that talk to a running jar.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/arguments.h"
#include "keeper/directories.h"
#include "keeper/session.h"

namespace belljar::cli {

/// Tells what a person should know at the end of a session: traps, and where the jar goes on, how to get
/// back.
void tell_end(const keeper::SessionEnd& end, const std::string& jar);

/// A start of what runs already: the agent's terminal is attached to, where there is a terminal to show it on
/// and nothing else is asked of it; a shell is opened beside the jar's program. Answers the exit code, or
/// nothing where a start is due. An error says how to get at a jar that runs.
Result<std::optional<int>> join_running(const Start& command, const keeper::Directories& directories);

}  // namespace belljar::cli
