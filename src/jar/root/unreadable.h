// What is masked below the system directories that a jar is shown: sockets and FIFOs, behind which may be a
// process of the host, and what an unprivileged caller may read that others may not, its own files there and
// those of its groups, as the jar's root is the caller for the kernel.
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

/// Who the jar's root is for the kernel: the caller, or a user who owns nothing.
enum class Reader { caller, nobody };

/// Paths to mask, as the jar sees them. Looks through all system directories once for each state of the
/// installed packages (some tenths of a second), else reads what it found then.
Result<std::vector<std::string>> find_unreadable(const std::string& cache_directory,
                                                 const std::vector<ShownDirectory>& shown, Reader reader);

/// Looks through one directory. For tests, and for it.
Result<std::vector<std::string>> look_for_unreadable(const std::string& directory, Reader reader);

}  // namespace belljar::jar
