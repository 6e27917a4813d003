// What the commands have in common that talk to a running jar.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "cli/arguments.h"
#include "keeper/directories.h"
#include "keeper/jars.h"
#include "keeper/protocol.h"
#include "keeper/session.h"

namespace belljar::cli {

/// Tells what a person should know at the end of a session: traps, and where the jar goes on, how to get
/// back.
void tell_end(const keeper::SessionEnd& end, const std::string& jar);

/// The same for programs: one line on standard error, as the other streams are the program's.
void print_end(const keeper::SessionEnd& end, const std::string& jar);

/// A start of what runs already: the agent's terminal is attached to, where there is a terminal to show it on
/// and nothing else is asked of it; a shell is opened beside the jar's program. Answers the exit code, or
/// nothing where a start is due. An error says how to get at a jar that runs.
Result<std::optional<int>> join_running(const Start& command, const keeper::Directories& directories);

/// What starts a jar that doesn't run.
std::string start_command(const keeper::JarRecord& record);
/// The meant jar, which must run.
Result<keeper::JarRecord> find_running(const keeper::Directories& directories, const std::string& name);
std::string directory_of(const keeper::Directories& directories, const keeper::JarRecord& record);
/// keeper::open_request() with the jar's name in the error.
Result<os::Fd> open_request(const keeper::Directories& directories, const keeper::JarRecord& record,
                            const keeper::Request& request, std::span<const int> fds = {});

}  // namespace belljar::cli
