// The state of a tree as one number, so that a copy of it can be told from an outdated one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace belljar::jar {

/// Everything below `directory` whose change matters, as relative paths: directories and files, the directory
/// itself first. A link can't be changed, only replaced, which its directory shows.
std::vector<std::string> list_tree(const std::string& directory);

/// One number for what these paths are now: any change of content, mode or name, and anything new or gone in
/// a directory of the list, makes it another. Needs one system call a path and opens nothing.
std::uint64_t stamp_listed(const std::string& directory, const std::vector<std::string>& listed);

/// A list as it is kept between starts; an empty one when there is none that can be read.
std::vector<std::string> read_listing(const std::string& file);
Result<void> write_listing(const std::string& file, const std::vector<std::string>& listed);

}  // namespace belljar::jar
