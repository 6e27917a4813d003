// Spawning a program with exactly the descriptors it is given.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "os/pid.h"

namespace belljar::os {

struct SpawnPlan {
  std::string program;                   ///< A path; PATH is not searched.
  int program_fd = -1;                   ///< When set, executed instead of `program` (fexecve); borrowed.
  std::vector<std::string> arguments;    ///< argv, with argv[0].
  std::vector<std::string> environment;  ///< The whole environment, "NAME=value".
  /// Borrowed descriptors: fds[n] becomes descriptor n of the child; -1 leaves n closed (0–2: /dev/null).
  /// Everything else is closed.
  std::vector<int> fds;
  bool die_with_parent = true;  ///< SIGKILL when the spawning thread ends.
  bool new_session = false;
  /// Return only once the program runs. Without it, one that can't be executed exits with 127.
  bool await_program = true;
};

/// Starts the program. When it is awaited, a program that can't be executed is reported here (errno of
/// execve), not by its exit.
Result<Pid> spawn(const SpawnPlan& plan);

}  // namespace belljar::os
