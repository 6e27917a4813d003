// Jars: the named, persistent jars of this user as they stand on disk, one directory each:
//
//     state/jars/NAME/jar.json   what it is: workspace, agent, when it was made
//                     lock       held (fcntl) by whoever runs it; its time is that of the last start
//                     git-directory  the one outside of its workspace that it was shown at its last start
//                     home/ …    the jar's own
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace belljar::keeper {

struct JarRecord {
  std::string name;
  std::string workspace;                         ///< empty: none, or the record is damaged
  std::string agent;                             ///< the profile it was made with; empty for `run`
  std::int64_t created = 0;                      ///< seconds since 1970
  std::int64_t started = 0;                      ///< of the last start
  std::vector<std::string> others_of_workspace;  ///< only find_of_workspace() says them
  bool running = false;
  bool damaged = false;  ///< jar.json can't be read; the jar's home is untouched by that
};

/// Holds a jar's lock file. Dropping it unlocks: a process that was just forked and has not become its
/// program yet would otherwise hold the lock on.
class [[nodiscard]] JarLock {
 public:
  explicit JarLock(os::Fd locked) : file_(std::move(locked)) {}
  ~JarLock();
  JarLock(JarLock&&) = default;
  JarLock& operator=(JarLock&&) = delete;
  [[nodiscard]] int file() const { return file_.get(); }
  /// Another process has got the file and holds the lock from now on.
  void hand_over() { file_.reset(); }

 private:
  os::Fd file_;
};

/// A jar taken for running: nobody else can start or remove it until this is dropped.
struct [[nodiscard]] TakenJar {
  JarRecord record;
  std::string directory;
  JarLock lock;
  [[nodiscard]] std::string record_file() const { return directory + "/jar.json"; }
  bool made = false;      ///< just now: where nothing comes to run in it, it goes again (keeper/removal.h)
  bool settled = false;   ///< its record is on the disk, or on its way
  bool repaired = false;  ///< it was damaged, was set aside as jar.json.damaged, and is made anew
  /// Sees to that, in a process of its own that ends with it: no start need wait for a disk.
  [[nodiscard]] Result<void> settle() const;
};

/// Where a jar's directory says which git directory outside of its workspace the jar can write; absent: none.
[[nodiscard]] std::string git_directory_note(const std::string& jar_directory);

class Jars {
 public:
  /// `directory` is state/jars; made when absent.
  static Result<Jars> open(std::string directory);

  [[nodiscard]] Result<std::vector<JarRecord>> list() const;
  /// The workspaces of all jars, and the git directories outside of them that jars were shown. An error where
  /// a jar that has been started can't tell its own.
  [[nodiscard]] Result<std::vector<std::string>> written_places() const;
  /// not_found names the jars there are.
  [[nodiscard]] Result<JarRecord> find(std::string_view name) const;
  /// The jar of this workspace, when there is one; of several the oldest, so that none that is made later, by
  /// whatever name, takes the directory over. Of two of the same second the first by name.
  [[nodiscard]] Result<std::optional<JarRecord>> find_of_workspace(std::string_view workspace) const;
  /// A name for a new jar of this workspace: its last part made a valid name, with -2, -3 … when taken.
  [[nodiscard]] Result<std::string> choose_name(std::string_view workspace) const;

  /// Creates the jar or takes the existing one for running. already_exists when it runs or belongs to another
  /// workspace; cancelled when its removal was cut off.
  Result<TakenJar> take(const JarRecord& wanted);
  /// Keeps a jar from being started or removed as long as the answer lives. already_exists when it runs.
  Result<JarLock> hold(std::string_view name);
  /// Gives a jar that is not running another name. already_exists when that is taken.
  Result<void> rename(std::string_view name, const std::string& new_name);
  /// Deletes a jar that is not running, with all it holds, and first by `before` what it has elsewhere
  /// (keeper/removal.h).
  Result<void> remove(std::string_view name, const std::function<Result<void>()>& before = {});

  /// 1 to 63 of a–z, 0–9 and inner hyphens: a jar's name is also its host name.
  static bool is_valid_name(std::string_view name);

 private:
  explicit Jars(std::string directory) : directory_(std::move(directory)) {}
  /// What is written of a jar, and whether it runs.
  [[nodiscard]] JarRecord read_record(const std::string& name) const;
  /// The first alone: as much as a look through all jars needs.
  [[nodiscard]] JarRecord read_written(const std::string& name) const;
  void look_whether_running(JarRecord& record) const;
  [[nodiscard]] Result<void> write_record(const JarRecord& record) const;

  std::string directory_;
};

}  // namespace belljar::keeper
