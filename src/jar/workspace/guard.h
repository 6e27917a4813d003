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
  std::vector<std::string> warnings;      ///< the first few, and then one line that says how many more
  /// One line each: why some of the workspace was not looked at, so that nothing in there is guarded.
  std::vector<std::string> missed;
};

/// Mount points that had to be made in the workspace; they go away with the jar, also one that crashed.
class Placeholders {
 public:
  Placeholders() = default;
  Placeholders(Placeholders&&) noexcept = default;
  Placeholders& operator=(Placeholders&& other) noexcept;
  ~Placeholders() { remove(); }

  /// Locks the workspace (shared) and removes what an earlier jar left that kept this record (a file outside
  /// of every jar).
  static Result<Placeholders> prepare(const std::string& workspace, const std::string& record);

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

/// Looks through the workspace and says what is to be guarded, and makes the mount points. `given`: root
/// gives it to the jar, which is then shown no file systems that are mounted below. `git_directory` is the
/// one that the workspace belongs to where that stands elsewhere (jar/workspace/linked.h), empty: none; it
/// gets a plan of its own, but hooks that its configuration names may stand in this workspace.
Result<GuardPlan> plan_guard(const std::string& workspace, Placeholders& placeholders, bool given,
                             const std::string& git_directory = {});

}  // namespace belljar::jar
