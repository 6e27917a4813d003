// Large files: contents beyond what is kept as objects. They are shared with the workspace's file where the
// file system can (reflinks), copied otherwise; holes stay holes.
//
// The name of a content is a hash over its length and those of its 64 KiB blocks that are not all zero, so
// that the same content has the same name however it is laid out on a disk.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "os/fd.h"
#include "undo/object_id.h"

namespace belljar::undo {

struct LargeContent {
  ObjectId id;
  std::uint64_t stored = 0;  ///< bytes that it takes on the disk, 0 where it was there already
};

class LargeFiles {
 public:
  explicit LargeFiles(std::string directory) : directory_(std::move(directory)) {}

  [[nodiscard]] bool has(const ObjectId& id) const;
  [[nodiscard]] std::string path(const ObjectId& id) const;
  /// Saves what `file` holds now; `limit_exceeded` where that takes more than `room` bytes.
  [[nodiscard]] Result<LargeContent> save(int file, std::uint64_t room) const;
  /// Writes the content into an empty file; `malformed` when it isn't what was saved.
  Result<void> restore(const ObjectId& id, std::uint64_t size, int file) const;

 private:
  std::string directory_;
};

/// Bytes that a file has on its disk (its holes have none).
std::uint64_t allocated(int file);

/// Copies all of `from` into the empty file `to`, its holes as holes: by reflink where that is possible,
/// which takes no space, else page by page: no more than `room` bytes are written (`limit_exceeded`). Also
/// the name of the content.
struct Copied {
  ObjectId id;
  bool shared = false;
};
Result<Copied> copy_content(int from, int to, std::uint64_t room);
Result<ObjectId> name_content(int file, std::uint64_t size);

}  // namespace belljar::undo
