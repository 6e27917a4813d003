// How jars go: as a whole, at one moment, and with what else is theirs before. The caller holds the jar's
// lock, and other than by that nobody learns of a jar that goes.
#pragma once

#include <ctime>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"

namespace belljar::keeper {

/// Deletes the jar with all it holds. First goes by `before` what is theirs elsewhere and would otherwise
/// count for a later jar of this name; cut off in between, the jar is still there, but is not started any
/// more (is_half_removed()), until this was done again.
Result<void> remove_jar(const std::string& jars_directory, const std::string& jar,
                        const std::function<Result<void>()>& before);

[[nodiscard]] bool is_half_removed(const std::string& jar_directory);

/// A jar that was made for a start: without keep() it goes with this again, unless something has run in it.
/// Must be gone before the jar's lock is, unless that
/// was handed to a keeper: then only after that keeper has ended or dropped it.
class [[nodiscard]] FirstStart {
 public:
  /// Nothing where the jar was there before.
  FirstStart(std::string jars_directory, std::string jar, bool is_new)
      : jars_directory_(std::move(jars_directory)), jar_(is_new ? std::move(jar) : std::string()) {}
  ~FirstStart();
  FirstStart(FirstStart&& other) noexcept
      : jars_directory_(std::move(other.jars_directory_)),
        jar_(std::move(other.jar_)),
        kept_(other.kept_),
        handed_over_(other.handed_over_) {
    other.jar_.clear();
  }
  FirstStart& operator=(FirstStart&&) = delete;
  /// From here on something may run: the jar stays, whatever comes.
  void keep() { kept_ = true; }
  /// Takes keep() back, on the keeper's own word.
  void nothing_has_run() { kept_ = false; }
  /// Just before a keeper gets the lock: what goes then, goes only with the lock taken again, and only where
  /// nobody has taken the jar in between.
  void hand_over_lock();

 private:
  std::string jars_directory_;
  std::string jar_;  ///< empty: nothing goes
  bool kept_ = false;
  std::optional<timespec> handed_over_;  ///< when the jar was taken, by its lock file
};

}  // namespace belljar::keeper
