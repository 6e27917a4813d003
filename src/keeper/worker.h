// Worker: one of belljar's own confined processes, started beside a jar and ended with its control socket.
#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"
#include "os/pid.h"

namespace belljar::keeper {

struct Worker {
  std::string name;  ///< "proxy", "ledger" …
  os::Pid process;
  os::Fd control;  ///< our end; closing it tells the process to end
};

/// Starts libexec_directory/belljar-NAME with its control socket as descriptor 3, nothing on 0 and 1, our
/// standard error on 2, and an environment of nothing but BELLJAR_LOG. It does not outlive the caller.
Result<Worker> start_worker(const std::string& libexec_directory, const std::string& name);

/// Where the worker programs stand: ../libexec/belljar beside the running program's directory, or that
/// directory itself (a build tree).
Result<std::string> find_libexec_directory();
/// The path of this program.
Result<std::string> own_program();

}  // namespace belljar::keeper
