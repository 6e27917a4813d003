// One system directory of the host as a layer that the jar's root owns: directories, links and small files as
// they are, of large files only what is needed until their contents are saved (save_contents.h). What others
// can't read is there by name and empty; sockets and the like are not there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jar/identity.h"
#include "jar/root/tier.h"
#include "os/fd.h"

namespace belljar::jar {

/// Files up to this size (bytes) are copied at once: on most file systems that takes no more room than an
/// empty file with two attributes.
inline constexpr std::uint64_t kSmallFile = 64U << 10;
inline constexpr std::uint64_t kAnySize = ~0ULL;

/// A file whose content is not in the tree.
struct LargeFile {
  std::string path;  ///< relative to the system directory
  std::uint64_t size = 0;
  std::int64_t seconds = 0;  ///< time of its last change as the host had it
  std::int64_t nanoseconds = 0;
};

struct TreeSource {
  std::string host;  ///< the host's directory
  /// The same directory in an earlier generation of this tier, to link unchanged files from; may be empty.
  std::string previous;
  std::string tree;  ///< made; its parent is there
};

struct TreeWork {
  RootTier tier = RootTier::skeleton;
  Identity identity;
  std::function<void()> made;  ///< called for each entry; may be empty
  std::uint64_t small_file = kSmallFile;
};

/// Makes the tree and lists what it lacks.
Result<std::vector<LargeFile>> make_tree(const TreeSource& source, const TreeWork& work);

}  // namespace belljar::jar
