// SetupPlan: what the first process of a jar has to know to become the jar. Who starts the jar finds it out
// while that process makes the network, and sends it as a whole.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "jar/identity.h"
#include "jar/jar_spec.h"
#include "jar/namespaces/root_plan.h"
#include "jar/workspace/guard.h"

namespace belljar::jar {

struct SetupPlan {
  std::string host_name;
  Limits limits;  ///< of which only memory and processes are told to the first process
  Source init;    ///< the program that becomes PID 1
  RootPlan root;
  GuardPlan guard;                    ///< without what is only told: repositories, warnings, missed
  GuardPlan git_guard;                ///< of the git directory of a workspace, where it stands elsewhere
  std::vector<std::string> trusting;  ///< files of /etc that the authority's certificate is added to
  std::string authority;              ///< certificate in PEM; empty: none
};

/// Opens every source. `jar_users`: the jar's user namespace, needed by root.
Result<void> open_sources(SetupPlan& plan, const Identity& identity, int jar_users = -1);

/// Sends the plan, and for root its opened sources. The error of a first process that has ended is `closed`:
/// it has said why.
Result<void> send_plan(int socket, SetupPlan& plan, const Identity& identity);

/// For the first process: waits for its plan. Unless `identity` is root's, its sources are not opened yet.
Result<SetupPlan> receive_plan(int socket, const Identity& identity);

}  // namespace belljar::jar
