// The side of belljard's socket of who asks.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/protocol.h"
#include "keeper/directories.h"

namespace belljar::daemon {

struct Listing {
  std::vector<KnownJar> jars;
  std::vector<std::string> notes;  ///< for the person who asks
};

/// All jars, from belljard, which is started where it does not run. Takes two or three seconds at most.
Result<Listing> ask_for_jars(const keeper::Directories& directories, const std::string& libexec_directory);

/// About belljard itself; not_found when it does not run.
Result<answer::About> ask_about(const keeper::Directories& directories);

/// The same jars without belljard: each keeper is asked. Requests are not counted then.
Result<std::vector<KnownJar>> look_at_jars(const keeper::Directories& directories);

}  // namespace belljar::daemon
