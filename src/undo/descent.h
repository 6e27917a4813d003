// Descent: walking a tree that somebody else may change at the same time, by descriptors. Every step opens
// one name in the directory that it stands in, through no symlink and into no other file system.
//
// Trees may be deeper than a process may have descriptors: those of directories far above are given up and,
// on the way back, opened again through "..", which must lead to the very directory that was left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "base/result.h"
#include "os/fd.h"

namespace belljar::undo {

class Descent {
 public:
  enum class For : std::uint8_t { reading, writing };
  /// Directories of the caller's own that are closed to it are opened for it (mode u+rwx) while it stands in
  /// them or below; leave() gives them back the mode they had.
  static Result<Descent> begin(os::Fd top, For purpose);

  /// The directory it stands in.
  [[nodiscard]] int here() const { return levels_.back().directory.get(); }
  /// As it was when it was entered, its mode before it was unlocked.
  [[nodiscard]] const struct stat& status() const { return levels_.back().status; }
  [[nodiscard]] std::size_t depth() const { return levels_.size(); }

  /// Steps into a directory below. Failing leaves it where it was. A mount is EXDEV (system_errno).
  Result<void> enter(const std::string& name);
  /// Steps back. `restore_mode`: false where the caller has seen to the mode.
  Result<void> leave(bool restore_mode = true);
  /// Back to the top, restoring modes as far as that is possible.
  void abandon();

 private:
  struct Level {
    os::Fd directory;
    struct stat status {};
    bool unlocked = false;
  };
  explicit Descent(mode_t needed) : needed_(needed) {}
  Result<void> add(os::Fd place);

  std::vector<Level> levels_;
  mode_t needed_;  ///< what a directory must let its owner do
};

/// chmod through a descriptor of any kind, O_PATH too.
Result<void> change_mode(int file, mode_t mode);
/// Opens what an O_PATH descriptor names: that very file, whatever its name stands for by now.
Result<os::Fd> reopen(int place, int flags);
/// openat2(2) of one name: beneath, through no symlink, into no other file system.
Result<os::Fd> open_entry(int directory, const std::string& name, int flags);

}  // namespace belljar::undo
