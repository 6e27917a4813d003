// What a jar left in the workspace that something on the host would run by itself (I7): nested repositories
// whose configuration or hooks execute, files that editors, shells and agents act upon when a directory is
// opened, links that lead out. Nothing here is a verdict on intent; each is shown to the user with what would
// run it.
//
// Only what changed since the start counts, by the time of change of inodes, which nobody can set back. No
// program is run and no link followed.
#pragma once

#include <string>
#include <vector>

#include <time.h>

#include "base/result.h"
#include "jar/jar_spec.h"

namespace belljar::jar {

/// More are summed up in one last line.
inline constexpr std::size_t kMaxTraps = 200;

/// `guarded`: git directories that were guarded during the run (StartReport::guarded): of these only the
/// control files count, as the jar could not replace the directory itself. Call after the jar has stopped.
Result<std::vector<Trap>> find_traps(const std::string& workspace, timespec since,
                                     const std::vector<std::string>& guarded = {});

}  // namespace belljar::jar
