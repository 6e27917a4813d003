// What the child does between clone and becoming init: everything from the outer mounts to the syscall
// filter. It reports the door, or why the jar can't be, over init's socket.
#pragma once

#include "jar/identity.h"
#include "jar/namespaces/root_plan.h"
#include "jar/workspace/guard.h"
#include "os/fd.h"
#include "os/syscall_filter.h"

namespace belljar::jar {

struct SetupPlan {
  Identity identity;
  RootPlan root;
  Limits limits;
  std::string host_name;
  Source init;  ///< the program that becomes PID 1
  std::vector<sock_filter> filter;
  int socket = -1;  ///< becomes kInitSocket
  // What follows comes late (late_parts.h), as do the root's own files and the copy of /etc.
  GuardPlan guard;
  GuardPlan git_guard;  ///< of the git directory that the workspace belongs to, where it stands elsewhere
  std::vector<std::string> trusting;  ///< files of /etc that the authority's certificate is added to
  std::string authority;              ///< certificate in PEM
};

/// Never returns: becomes init, or reports and exits.
[[noreturn]] void run_setup(SetupPlan& plan);

/// Says that the jar could not be set up.
void report_broken(int socket, const Error& error);

}  // namespace belljar::jar
