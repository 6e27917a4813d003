// What a tree takes on its file system, as the host sees it. For trees that a jar can write: nothing it does
// to them makes the measuring take more memory or descriptors than the bounds say, and what could not be
// looked at is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace belljar::keeper {

struct TreeBounds {
  std::size_t entries = 20'000'000;
  std::size_t waiting =
      128U << 20;  ///< bytes that directories may take which are known and not yet looked at
};

/// The bytes that a tree takes; files with several names count once, what is mounted in it not, and no link
/// is followed.
struct TreeSize {
  std::uint64_t bytes = 0;
  /// Not where it has more than the bounds allow, or something failed. What vanishes meanwhile, or may not be
  /// entered, is no such thing.
  bool complete = true;
};
TreeSize measure_tree(const std::string& path, const TreeBounds& bounds = {});

}  // namespace belljar::keeper
