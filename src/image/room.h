// How much of a file system a step may take while it runs: an image says nothing reliable about its size.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace belljar::image {

class RoomWatch {
 public:
  /// Of the file system that `directory` is on. limit_exceeded where it has less room than a small image
  /// needs.
  static Result<RoomWatch> begin(std::string directory);

  /// limit_exceeded once more was taken since the beginning than an image may have, or hardly anything is
  /// left.
  [[nodiscard]] Result<void> check() const;

 private:
  explicit RoomWatch(std::string directory) : directory_(std::move(directory)) {}
  std::string directory_;
  std::uint64_t bytes_ = 0;  ///< free at the beginning
  std::uint64_t files_ = 0;
};

}  // namespace belljar::image
