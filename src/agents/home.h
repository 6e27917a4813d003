// What is put into a jar's home from outside before a start. The jar owns that directory and may have set
// traps in it, so every path is opened beneath it without following a symlink.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agents/profile.h"
#include "base/result.h"

namespace belljar::agents {

/// Writes each seed whose file is absent and whose variable is among `variables`. One with a variable whose
/// file is there is merged into it (json_merge.h): a login that is let in later logs an existing jar in, too.
/// Directories are made as needed; all belongs to the home's owner.
Result<void> plant_seeds(const std::vector<Seed>& seeds, const std::string& home,
                         const std::string& workspace, const std::map<std::string, std::string>& variables);

/// Copies a file of the host's home to the same place in the jar's, mode 0600, when the jar has none or an
/// older one. A file that is absent on the host is no error: answers false.
Result<bool> copy_into_home(const std::string& host_home, const std::string& relative_path,
                            const std::string& home);

/// Makes `link` (relative to the home) a symlink to `target`, replacing a symlink that is there; a file or
/// directory in its place stays.
Result<void> link_in_home(const std::string& home, const std::string& link, const std::string& target);

}  // namespace belljar::agents
