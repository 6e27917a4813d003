// The guard of a workspace (I7): git's control files, through which the host's git would run what they name,
// are read-only or private in the jar, and nothing that holds them can be renamed away. Sockets and FIFOs are
// masked: behind them may be a process of the host.
//
// A mount holds as long as its place exists: when somebody on the HOST replaces a guarded file (git config
// does), the kernel takes the jar's mount away with it. find_traps() reports what changed there at the end.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace belljar::jar {

/// Paths are relative to the workspace.
struct GuardPlan {
  std::string workspace;            ///< empty: nothing to guard
  std::vector<std::string> pinned;  ///< directories bound onto themselves: they can't be renamed or removed
  std::vector<std::string> read_only;
  /// Shown as a copy that the jar may change without anybody outside seeing it.
  struct PrivateCopy {
    std::string path;
    std::string content;
  };
  std::vector<PrivateCopy> copies;
  std::vector<std::string> masked;        ///< sockets and FIFOs
  std::vector<std::string> repositories;  ///< the git directories that are guarded
  std::vector<std::string> warnings;
};

/// Mount points that had to be made in the workspace; they go away with the jar, also one that crashed.
class Placeholders {
 public:
  Placeholders() = default;
  Placeholders(Placeholders&&) noexcept = default;
  Placeholders& operator=(Placeholders&& other) noexcept;
  ~Placeholders() { remove(); }

  /// Locks the workspace (shared) and removes what an earlier jar of this state directory left.
  static Result<Placeholders> prepare(const std::string& workspace, const std::string& state_directory);

  /// Makes what is missing, recorded before it is made. `content` for a file, nothing for a directory.
  struct Wanted {
    std::string path;
    bool directory = false;
    std::string content;
  };
  Result<void> make(const std::vector<Wanted>& wanted);
  /// Removes them, unless another jar guards the same workspace: then they stay for the next start.
  void remove();

 private:
  Result<void> record(const std::vector<Wanted>& wanted) const;
  os::Fd workspace_;
  std::string record_path_;
  std::vector<Wanted> made_;
};

/// Looks through the workspace and says what is to be guarded, and makes the mount points. `with_mounts`: the
/// jar is shown file systems that are mounted below, too.
Result<GuardPlan> plan_guard(const std::string& workspace, Placeholders& placeholders, bool with_mounts);

}  // namespace belljar::jar
