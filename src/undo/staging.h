// Staging: contents of a checkpoint, written as files of their own, ready to be renamed into their places.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "undo/large_files.h"
#include "undo/store.h"

namespace belljar::undo {

/// What could not be set as it was: other people's owners, attributes that a file system doesn't know.
class Complaints {
 public:
  void add(const std::string& path, const Result<void>& done);
  std::vector<std::string> lines;  ///< the first few
  std::size_t count = 0;
};

/// Makes owner, attributes, mode and times of an open file or directory those of the entry.
Result<void> set_metadata(int file, const Entry& entry, std::string_view attributes);
/// The same for what an O_PATH descriptor names, a symlink too. `cancelled` where it is of another type.
Result<void> set_metadata_of(int file, const Entry& entry, std::string_view attributes);

class Staging {
 public:
  /// Makes the directory in `workspace`.
  static Result<Staging> make(int workspace, const std::string& name);

  /// Makes an entry that is no directory. Of entries with one link label the second is a hard link to the
  /// first.
  Result<void> add(Store& store, const State& then, std::uint32_t number, const std::string& path,
                   Complaints& complaints);
  [[nodiscard]] bool has(std::uint32_t number) const { return names_.contains(number); }
  /// Moves it into its place; what is there and no directory is replaced.
  Result<void> place(std::uint32_t number, int directory, const std::string& name);

 private:
  explicit Staging(os::Fd directory) : directory_(std::move(directory)) {}
  Result<os::Fd> make(Store& store, const Entry& entry, const std::string& name, const std::string& path);

  os::Fd directory_;
  std::unordered_map<std::uint32_t, std::string> names_;
  std::map<std::uint64_t, std::string> linked_;
};

/// Deletes an entry and all below it, through no symlink and into no mount. Directories of the caller's own
/// that are closed to it are opened. Nothing there is success.
Result<void> remove_entry(int directory, const std::string& name);

}  // namespace belljar::undo
