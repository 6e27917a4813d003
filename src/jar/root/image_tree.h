// The tree that an image was unpacked to, made fit to be a layer of jars. Whoever wrote the image chose every
// name, mode, attribute and link in it; nobody writes to it any more.
#pragma once

#include <cstdint>

#include <sys/types.h>

#include "base/result.h"

namespace belljar::jar {

struct TreeBounds {
  std::uint64_t entries = 2'000'000;
  std::uint64_t bytes = 32ULL << 30;  ///< on disk; a file with several names counts once for each
  std::size_t depth = 128;
  std::size_t path = 2048;  ///< bytes: longer ones are out of reach for some of those who clear up
};

struct CleanedTree {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t removed = 0;  ///< devices, sockets and pipes
};

/// Walks the tree that `directory` opens, through no symlink, and takes from it what has no place in a layer:
/// set-id bits, extended attributes (an overlay would obey its own), whatever is neither file, directory nor
/// symlink. Directories become passable for their owner, who must be `owner` for all there is
/// (permission_denied). limit_exceeded where there is more than the bounds allow.
Result<CleanedTree> clean_tree(int directory, uid_t owner, const TreeBounds& bounds = {});

}  // namespace belljar::jar
