// Which jar, checkpoint and path an undo is about.
#pragma once

#include <string>

#include "base/result.h"
#include "keeper/directories.h"
#include "keeper/jars.h"
#include "undo/store.h"

namespace belljar::cli {

/// The named jar, else that of the current directory or the nearest above: its repository may be gone.
Result<keeper::JarRecord> find_jar_around(const keeper::Directories& directories, const std::string& name);

/// Where an undo without --to goes: to before the last start. 0 when nothing was saved.
Result<std::uint64_t> default_target(undo::Store& store);

/// A path as a person names it, from the current directory when that is in the workspace, else from the
/// workspace; relative to the workspace, without "." and "..". No link is followed: it need not exist.
Result<std::string> path_in_workspace(const std::string& path, const std::string& workspace);

}  // namespace belljar::cli
