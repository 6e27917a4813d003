// What jars can write of the host's files: what is read there is not the user's word (config/placement.h).
#pragma once

#include <string>

#include "config/placement.h"

namespace belljar::keeper {

/// The workspaces of all jars, the git directories outside of them that they were shown, and what each has of
/// its own below `jars_directory`, as the records say whenever it is asked. An error where a record is
/// damaged.
config::WrittenByJars written_by_jars(std::string jars_directory);

/// As the records say when it is first asked: for several files that are read in one go, never to be kept.
config::WrittenByJars written_by_jars_now(std::string jars_directory);

}  // namespace belljar::keeper
