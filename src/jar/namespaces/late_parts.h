// What takes belljar time to find out or open, and is sent to the child while that makes the jar's network.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "jar/namespaces/setup.h"

namespace belljar::jar {

struct LateParts {
  std::string etc;                    ///< path of the cleaned copy of /etc
  std::vector<std::string> trusting;  ///< files of it that the authority's certificate is added to
  std::string authority;              ///< its certificate in PEM; empty: none
  std::vector<std::string> hidden;    ///< as RootPlan::hidden
};

/// Completes the plan of the caller's side where that opens the sources (root), and sends the parts.
/// `jar_users`: the jar's user namespace.
Result<void> send_late_parts(int socket, const LateParts& parts, SetupPlan& plan, int jar_users);

/// For the child: waits for the parts and completes its plan with them.
Result<void> receive_late_parts(int socket, SetupPlan& plan);

}  // namespace belljar::jar
