// Files of a project that editors, shells, package managers and agents act upon without being asked.
#pragma once

#include <string>
#include <string_view>

namespace belljar::jar {

/// What would run or obey the file at this path (relative to the workspace); empty when nothing known would.
std::string_view autorun(std::string_view path);

/// Whether the directory with this name holds such files, so that its own arrival counts for all of them.
bool is_autorun_directory(std::string_view name);

/// Whether the path lies in a tree of installed dependencies, which nobody opens as a project.
bool is_dependency(std::string_view path);

}  // namespace belljar::jar
