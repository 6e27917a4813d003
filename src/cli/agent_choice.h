// Which agent a start means.
#pragma once

#include "base/result.h"
#include "cli/arguments.h"
#include "config/config.h"
#include "keeper/directories.h"

namespace belljar::cli {

/// The command with its agent: for plain `belljar` that of the configuration, else the one that the jar was
/// made with. not_found when there is neither, invalid_argument for a name that is no agent's.
Result<Start> choose_agent(Start command, const keeper::Directories& directories);

/// The configuration's agent, checked; empty when it names none.
Result<std::string> agent_of(const config::Config& config);

}  // namespace belljar::cli
