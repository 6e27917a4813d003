// Where a file of the user's really stands. Configuration is trusted because it is the user's; a file in a
// jar's workspace, by whatever link it is reached (dotfiles kept in a repository, a variable that names it),
// is the jar's to write.
#pragma once

#include <string>
#include <vector>

namespace belljar::config {

/// The first of `directories` (resolved paths) that the file at `path` stands in, all links followed; empty:
/// none, or there is no such file.
std::string holder_of(const std::string& path, const std::vector<std::string>& directories);

}  // namespace belljar::config
