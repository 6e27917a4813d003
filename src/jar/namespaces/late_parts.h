// What takes belljar time to find out or open, and is sent to the child while that makes the jar's network.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "jar/namespaces/setup.h"
#include "jar/root/files.h"
#include "jar/workspace/guard.h"

namespace belljar::jar {

struct LateParts {
  std::string etc;                    ///< path of the cleaned copy of /etc
  std::vector<std::string> trusting;  ///< files of it that the authority's certificate is added to
  std::string authority;              ///< its certificate in PEM; empty: none
  std::vector<std::string> hidden;    ///< as RootPlan::hidden
  std::vector<PrivateFile> files;     ///< as RootPlan::files
  GuardPlan guard;                    ///< without what is only told: repositories, warnings, missed
  std::string git_directory;          ///< that the workspace belongs to, where it stands elsewhere
  GuardPlan git_guard;
};

/// Completes the plan of the caller's side where that opens the sources (root), and sends the parts. The
/// error of a child that has ended is `closed`: it has said why.
/// `jar_users`: the jar's user namespace.
Result<void> send_late_parts(int socket, const LateParts& parts, SetupPlan& plan, int jar_users);

/// For the child: waits for the parts and completes its plan with them.
Result<void> receive_late_parts(int socket, SetupPlan& plan);

}  // namespace belljar::jar
