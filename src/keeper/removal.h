// How jars go: as a whole, at one moment, and with what else is theirs before. The caller holds the jar's
// lock, and other than by that nobody learns of a jar that goes.
#pragma once

#include <functional>
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
/// Must be gone before the jar's lock is.
class [[nodiscard]] FirstStart {
 public:
  /// Nothing where the jar was there before.
  FirstStart(std::string jars_directory, std::string jar, bool is_new)
      : jars_directory_(std::move(jars_directory)), jar_(is_new ? std::move(jar) : std::string()) {}
  ~FirstStart();
  FirstStart(FirstStart&& other) noexcept
      : jars_directory_(std::move(other.jars_directory_)), jar_(std::move(other.jar_)) {
    other.jar_.clear();
  }
  FirstStart& operator=(FirstStart&&) = delete;
  void keep() { jar_.clear(); }

 private:
  std::string jars_directory_;
  std::string jar_;  ///< empty: nothing goes
};

}  // namespace belljar::keeper
