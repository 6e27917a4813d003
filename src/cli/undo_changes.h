// What an undo would do, as people read it.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "undo/difference.h"

namespace belljar::cli {

/// A line for each of the first changes, git's own files counted only, then the sums.
std::string show_changes(const std::vector<undo::Change>& changes, const undo::State& now,
                         const undo::State& then);

/// A path that a jar may have chosen, safe for a terminal.
std::string shown(const std::string& path);

/// How many entries have which fate, for programs.
nlohmann::ordered_json count_changes(const std::vector<undo::Change>& changes);

}  // namespace belljar::cli
