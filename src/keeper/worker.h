// Worker: one of belljar's own confined processes, started beside a jar and ended with its control socket.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "os/pid.h"

namespace belljar::keeper {

struct Worker {
  std::string name;  ///< "proxy", "ledger" …
  os::Pid process;
  os::Fd control;  ///< our end; closing it tells the process to end
  os::Fd errors;   ///< what it writes on standard error; invalid where that is our own
};

/// Starts libexec_directory/belljar-NAME with its control socket as descriptor 3, nothing on 0 and 1 and a
/// pipe on 2: a worker that is taken over must hold neither the user's terminal nor a file in its place. With
/// BELLJAR_LOG, which is all its environment has, whoever looks for a fault gets it on our own standard
/// error. It does not outlive the caller.
Result<Worker> start_worker(const std::string& libexec_directory, const std::string& name);
/// The same over a SOCK_SEQPACKET pair that is there already, the second end for the worker: it finds what
/// was said before it started.
Result<Worker> start_worker(const std::string& libexec_directory, const std::string& name,
                            os::FdPair control);
/// The same with these variables ("NAME=value") in its environment; `outlives_us`: the end of the caller is
/// not its own.
Result<Worker> start_worker(const std::string& libexec_directory, const std::string& name, os::FdPair control,
                            std::vector<std::string> environment, bool outlives_us);

/// Why a worker that has ended did so, as it said itself: one line, at most 2 KiB; empty when it said
/// nothing.
std::string last_words(const Worker& worker);

/// Where the worker programs stand: ../libexec/belljar beside the running program's directory, or that
/// directory itself (a build tree).
Result<std::string> find_libexec_directory();
/// The path of this program.
Result<std::string> own_program();

}  // namespace belljar::keeper
