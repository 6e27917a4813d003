// Contents: reads what an entry holds and puts it into the store, unless it is there.
#pragma once

#include <optional>
#include <string>

#include "undo/ignored.h"
#include "undo/scan.h"

namespace belljar::undo {

/// Files beyond this are kept beside the packs. Bytes.
inline constexpr std::uint64_t kLarge = 4U << 20;

class Contents {
 public:
  Contents(Store& store, PackWriter& pack, const ScanRules& rules)
      : store_(store), pack_(pack), large_(store.large_directory()), rules_(rules) {}

  struct Taken {
    bool there = false;     ///< it is still of the type that it was
    bool deferred = false;  ///< large, to be saved later with save_large()
    std::string attributes;
  };
  /// Reads a file or symlink of the directory; the entry's status becomes that of what was read.
  Result<Taken> take(int directory, const std::string& name, Entry& entry);
  /// Without a path, as it is longer than the system opens one, the file can't be read.
  Result<void> save_large(int workspace, const std::optional<std::string>& path, Entry& entry);
  /// An object of the store's own making.
  Result<ObjectId> put(ObjectType type, BytesView content);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::vector<std::string>& added() { return added_; }

 private:
  Result<Taken> take_symlink(int directory, const std::string& name, Entry& entry);
  Result<void> fill(int file, Entry& entry);
  Result<void> keep(Entry& entry);
  Result<void> keep_large_if_known(int file, Entry& entry);
  Result<bool> is_known(const ObjectId& id);
  [[nodiscard]] bool has_room(std::uint64_t more) const {
    return pack_.size() + spent_ + more <= rules_.room;
  }

  Store& store_;
  PackWriter& pack_;
  LargeFiles large_;
  Ignored ignored_{IgnoredBudget{}};
  const ScanRules& rules_;
  Bytes buffer_;
  std::uint64_t bytes_ = 0;
  std::uint64_t spent_ = 0;  ///< on large files
  std::vector<std::string> added_;
};

/// Puts what lstat says into an entry; its content and name stay.
void set_status(const struct stat& status, Entry& entry);

}  // namespace belljar::undo
