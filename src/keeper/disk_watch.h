// DiskWatch: how much a jar adds to the disk. No rootless means of the kernel bounds that, so it is measured:
// once a minute, and at once when the file system has lost the room that is left to the jar. In between a jar
// can pass its limit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "rt/clock.h"

namespace belljar::keeper {

/// The bytes that a tree takes on its file system; files with several names count once, other file systems
/// not, and no link is followed.
struct TreeSize {
  std::uint64_t bytes = 0;
  bool complete = true;  ///< not where something could not be looked at
};
TreeSize measure_tree(const std::string& path);

class DiskWatch {
 public:
  /// `own` are the jar's directories: all in them counts. Of `workspace` (or empty) counts by how much it has
  /// grown. `users` is the jar's user namespace, whose root may look where its user may not; or invalid.
  DiskWatch(std::vector<std::string> own, std::string workspace, std::uint64_t limit, os::Fd users)
      : own_(std::move(own)), workspace_(std::move(workspace)), limit_(limit), users_(std::move(users)) {}

  /// Waits until the limit is passed, and answers the bytes that the jar takes then. To be called again once
  /// that was seen to. Must be called in a fiber; measuring is the work of a child with the lowest priority.
  Result<std::uint64_t> await_excess();

 private:
  struct Measured {
    std::uint64_t own = 0;
    std::uint64_t workspace = 0;
  };
  Result<Measured> measure();
  Result<std::uint64_t> look();
  [[nodiscard]] std::uint64_t free_room() const;

  std::vector<std::string> own_;
  std::string workspace_;
  std::uint64_t limit_;
  os::Fd users_;
  bool begun_ = false;
  std::uint64_t workspace_before_ = 0;
  rt::Duration took_{};
};

}  // namespace belljar::keeper
