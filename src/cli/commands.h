// The commands of the CLI, one file each. Each prints its result on standard output and answers
// the exit code; an Error is belljar's own failure.
#pragma once

#include "base/result.h"
#include "cli/arguments.h"
#include "keeper/directories.h"

namespace belljar::cli {

Result<int> run_command(const Start& command, const keeper::Directories& directories);
Result<int> run_command(const List& command, const keeper::Directories& directories);
Result<int> run_command(const Remove& command, const keeper::Directories& directories);
Result<int> run_command(const Attach& command, const keeper::Directories& directories);
Result<int> run_command(const Exec& command, const keeper::Directories& directories);
Result<int> run_command(const Stop& command, const keeper::Directories& directories);
Result<int> run_command(const Checkpoint& command, const keeper::Directories& directories);
Result<int> run_command(const Undo& command, const keeper::Directories& directories);
Result<int> run_command(const StartAgain& command, const keeper::Directories& directories);
Result<int> run_command(const Hold& command, const keeper::Directories& directories);
Result<int> run_command(const Logs& command, const keeper::Directories& directories);
Result<int> run_command(const Rename& command, const keeper::Directories& directories);
Result<int> run_command(const Forward& command, const keeper::Directories& directories);
Result<int> run_command(const ChangeRule& command, const keeper::Directories& directories);
Result<int> run_command(const PolicyShow& command, const keeper::Directories& directories);
Result<int> run_command(const PolicyTest& command, const keeper::Directories& directories);
Result<int> run_command(const PolicyCheck& command, const keeper::Directories& directories);
Result<int> run_command(const Review& command, const keeper::Directories& directories);
Result<int> run_command(const Log& command, const keeper::Directories& directories);
Result<int> run_command(const Doctor& command, const keeper::Directories& directories);
Result<int> run_command(const Completion& command, const keeper::Directories& directories);
Result<int> run_command(const Manual& command, const keeper::Directories& directories);
Result<int> run_command(const Version& command, const keeper::Directories& directories);

/// Parses the command line, runs the command and tells an Error as people read it: what happened, then the
/// next command to type.
int run_cli(int argc, const char* const* argv);

}  // namespace belljar::cli
