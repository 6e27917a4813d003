// run: one program in one jar, from the start of the namespaces to the last byte of its output.
//
// While it runs, this process is the jar's keeper: parent of init and of the gateway, which is started when
// the first connection or query arrives at the door. When it ends, by whatever end, all of that ends with it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jar/jar_spec.h"
#include "keeper/authority.h"
#include "policy/policy.h"

namespace belljar::keeper {

struct RunPlan {
  jar::JarSpec spec;  ///< what concerns the authority is filled in by run()
  AuthorityInTheMaking authority;
  policy::Policy policy;
  /// Run one after another before the program, each with its output on standard error; the first failure ends
  /// it all (an agent's installation).
  struct Preparation {
    std::string what;  ///< "installing claude": told on standard error
    jar::ExecRequest request;
  };
  std::vector<Preparation> preparations;
  jar::ExecRequest request;  ///< standard streams and terminal are filled in by run()
  std::string libexec_directory;
  std::string ledger_directory;
  /// Called once the program runs: what must be done but needn't delay it.
  std::function<Result<void>()> when_started;
};

struct RunOutcome {
  int exit_code = 0;  ///< of the program as shells report it; 126 and 127 when it could not be executed
  std::vector<jar::Trap> traps;
};

/// Must be called outside a fiber. The Error is belljar's own failure, not the program's.
Result<RunOutcome> run(RunPlan plan);

}  // namespace belljar::keeper
