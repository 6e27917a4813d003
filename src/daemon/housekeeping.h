// What has no other home: what killed keepers leave, and checkpoints of jars that nobody starts any more.
// Both take a jar's files as they are, need no daemon's knowledge, and may be cut off at any moment.
#pragma once

#include <string>

#include "base/result.h"

namespace belljar::daemon {

/// Of a jar whose keeper was killed: its socket, the placeholders in its workspace and empty control groups
/// go, and its end is written down. (Placeholders in a git directory elsewhere stay for its next start, which
/// knows where that is.) Nothing where the jar runs or is gone, or its keeper ended by itself.
/// Holds the jar's lock meanwhile: a start waits for that (keeper::Jars::take).
Result<void> clear_after_kill(const std::string& jars_directory, const std::string& jar);

/// Keeps a jar's checkpoints, those of a git directory elsewhere included, within the bounds of the user's
/// configuration (`config_file` may be absent).
Result<void> tend_checkpoints(const std::string& jars_directory, const std::string& jar,
                              const std::string& config_file);

}  // namespace belljar::daemon
