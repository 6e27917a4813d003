// Store: the checkpoints of one jar's workspace, in the jar's state directory, outside of every jar:
//
//     undo/HEAD config objects/pack refs/checkpoints/N    a bare repository that git can read (sha256)
//          large/HASH     contents that are too large for objects (large_files.h)
//          seen           the workspace as it was last seen (index.h)
//          last-start     number of the checkpoint that the workspace was at when the jar was last started
//          journal        there while an undo is being carried out (journal.h)
//          lock           held by whoever changes any of this
//
// git is never run on it, and nothing in it is ever taken from the workspace's own configuration.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "undo/index.h"
#include "undo/pack.h"

namespace belljar::undo {

/// A git directory outside of the workspace that the workspace belongs to (a linked worktree, a submodule):
/// it is saved with it, in a store of its own (git_directory.h).
struct GitDirectory {
  std::string path;          ///< absolute; empty: none
  std::uint64_t number = 0;  ///< of its checkpoint, in its own store
  friend bool operator==(const GitDirectory&, const GitDirectory&) = default;
};

/// One saved state.
struct Checkpoint {
  std::uint64_t number = 0;
  std::int64_t made = 0;   ///< seconds since 1970
  std::int64_t stood = 0;  ///< until when the workspace is known to have stood so
  std::string why;         ///< "before a start", "asked for", "before an undo to 3"
  std::uint64_t entries = 0;
  std::uint64_t unsaved = 0;  ///< entries without their content
  ObjectId top;               ///< listing of the workspace's own entry
  GitDirectory git;           ///< as it stood at the same time
  std::string damage;         ///< not empty: it can't be read, and why
};

class [[nodiscard]] Store {
 public:
  /// Makes the store when it is absent, and takes its lock; waits for whoever has it, `when_waiting` is
  /// called before that.
  static Result<Store> open(const std::string& jar_directory, const std::function<void()>& when_waiting = {});
  /// For reading; nothing when there is no store yet.
  static Result<std::optional<Store>> open_existing(const std::string& jar_directory,
                                                    const std::function<void()>& when_waiting = {});
  Store(Store&&) noexcept = default;
  Store& operator=(Store&&) = delete;
  ~Store();

  /// Gives the lock up; what was opened stays readable.
  void unlock();

  [[nodiscard]] const std::string& directory() const { return directory_; }

  /// In the order of their numbers, the damaged ones too.
  [[nodiscard]] Result<std::vector<Checkpoint>> list();
  [[nodiscard]] Result<Checkpoint> find(std::uint64_t number);
  [[nodiscard]] Result<std::vector<std::uint64_t>> numbers() const;
  /// The state of a checkpoint, every listing of it read and checked.
  Result<State> load(const Checkpoint& checkpoint);

  /// Nothing where it is absent, damaged or not of a checkpoint that is still there: all is read anew then.
  [[nodiscard]] std::optional<Index> read_index() const;
  Result<void> write_index(const Index& index) const;

  /// Of packs and large files.
  [[nodiscard]] Result<bool> has(const ObjectId& id);
  [[nodiscard]] Result<Object> read(const ObjectId& id, ObjectType type);
  /// For a new pack; valid until the store is dropped.
  [[nodiscard]] Result<PackWriter> new_pack(char kind) const;
  /// All packs, opened at first use. Damaged ones are left out and named in `damaged_packs()`.
  [[nodiscard]] Result<std::vector<Pack>*> packs();
  [[nodiscard]] const std::vector<std::string>& damaged_packs() const { return damaged_packs_; }
  /// After packs were added or deleted.
  void forget_packs() { packs_.reset(); }

  /// Records a checkpoint whose objects are in `pack` or in the store already; its number is the next one.
  Result<Checkpoint> add(Checkpoint wanted, const ObjectId& tree, PackWriter& pack);
  /// Notes that the workspace still stands as it did.
  Result<void> confirm(std::uint64_t number) const;
  Result<void> drop(std::uint64_t number) const;

  Result<void> note_start(std::uint64_t number) const;
  [[nodiscard]] std::optional<std::uint64_t> last_start() const;

  /// Bytes of packs and large files on the disk.
  [[nodiscard]] Result<std::uint64_t> size() const;
  [[nodiscard]] std::string pack_directory() const { return directory_ + "/objects/pack"; }
  [[nodiscard]] std::string large_directory() const { return directory_ + "/large"; }
  [[nodiscard]] std::string reference(std::uint64_t number) const;

  /// Brings packs, checkpoints and these large files onto the disk, then marks the index that stands now as
  /// settled; in a process of its own: no start need wait for a disk.
  Result<void> settle(const std::vector<std::string>& files) const;

 private:
  explicit Store(std::string directory) : directory_(std::move(directory)) {}
  Result<void> make() const;
  Result<void> lock(const std::function<void()>& when_waiting);
  Result<void> recover();
  Checkpoint read_checkpoint(std::uint64_t number);

  std::string directory_;
  os::Fd lock_;
  std::optional<std::vector<Pack>> packs_;
  std::vector<std::string> damaged_packs_;
};

/// What tells one start of the machine from another.
std::string boot_identity();

/// Names in a directory, without "." and "..", sorted.
Result<std::vector<std::string>> names_in(const std::string& directory);

}  // namespace belljar::undo
