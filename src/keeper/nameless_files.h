// Files that have lost their last name and are still open somewhere in a jar: they take room, and no walk
// through a tree finds them. Those that are only mapped, or under way in a socket, are not found here either.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/types.h>

namespace belljar::keeper {

struct NamelessFiles {
  std::uint64_t bytes = 0;  ///< on disks: what lies in memory is not counted
  bool complete = true;     ///< not where there are too many processes or descriptors to look at
};

/// Those of all processes that come from `first`, it included, each file once. At most so many descriptors
/// are looked at. Processes whose descriptors may not be seen are left out.
NamelessFiles measure_nameless_files(pid_t first, std::size_t most_descriptors = 250'000);

}  // namespace belljar::keeper
