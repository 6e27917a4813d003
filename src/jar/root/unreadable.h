// What an unprivileged caller may read below the system directories that others may not: its own files there
// and those of its groups. The jar's root is the caller for the kernel, so these are masked.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace belljar::jar {

/// A host directory and where the jar sees it.
struct ShownDirectory {
  std::string path;
  std::string target;
};

/// Paths to mask, as the jar sees them. Looks through all system directories once for each state of the
/// installed packages (some tenths of a second), else reads what it found then.
Result<std::vector<std::string>> find_unreadable(const std::string& cache_directory,
                                                 const std::vector<ShownDirectory>& shown);

/// Looks through one directory. For tests, and for it.
Result<std::vector<std::string>> look_for_unreadable(const std::string& directory);

}  // namespace belljar::jar
