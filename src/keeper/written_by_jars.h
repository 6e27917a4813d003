// What jars can write of the host's files: what is read there is not the user's word (config/placement.h).
#pragma once

#include <string>

#include "config/placement.h"

namespace belljar::keeper {

/// The workspaces of all jars and what each has of its own below `jars_directory`, as the records say when it
/// is first asked for.
config::WrittenByJars written_by_jars(std::string jars_directory);

}  // namespace belljar::keeper
