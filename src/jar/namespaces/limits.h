// Limits on memory, CPU and processes of a jar: control groups where the host lets us make one, else what
// rlimits can hold. Says for each what it is worth.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "jar/jar_spec.h"

namespace belljar::jar {

/// Processes and threads that a jar may have when nothing else was asked for: a fork bomb ends there.
inline constexpr std::uint64_t kDefaultProcesses = 4096;

/// The control groups of one running jar; removed with it.
class ControlGroups {
 public:
  ControlGroups() = default;
  ~ControlGroups();
  ControlGroups(ControlGroups&&) noexcept = default;
  ControlGroups& operator=(ControlGroups&&) noexcept;
  ControlGroups(const ControlGroups&) = delete;
  ControlGroups& operator=(const ControlGroups&) = delete;

  /// Makes groups for these limits where the host allows it, and moves `child` into them. What could not be
  /// enforced is no error here: `states` says so.
  static ControlGroups create(const std::string& jar, const Limits& limits, pid_t child,
                              std::vector<LimitState>& states);

  /// The group of version 2; empty where there is none.
  [[nodiscard]] const std::string& unified() const { return unified_; }
  /// Processes in here that the kernel has ended for the limit of memory; 0 where no group counts them.
  [[nodiscard]] std::uint64_t out_of_memory() const;

 private:
  void remove();
  std::vector<std::string> directories_;
  std::string unified_;
};

/// Removes the groups that jars left whose keepers were killed: all of belljar's that hold no process.
void sweep_control_groups();

/// Sets the rlimits of the child; they hold where the groups don't.
Result<void> set_rlimits(const Limits& limits);

}  // namespace belljar::jar
