// Root generations: the host's system directories as they were at one moment, owned by the jar's root, made
// once for each state of the host and shared by all jars of one user. A jar that has changed something in its
// system stays with the generation that it changed; others follow the host. roots/KIND-STAMP/ holds
//
//     tree/NAME    one directory a top directory (usr, opt, etc, var …): system_tree.h, var_tree.h,
//     etc_copy.h data/NAME    contents that the tree lacked, saved behind a running jar (save_contents.h)
//     lists/NAME   which those are
//     made         the boot in which it was made; settled: it is on the disk since
//     saved        the tree lacks nothing any more, and nothing of the host's is used
//     broken       it can't be completed, as the host changed first; nobody may start with it
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jar/identity.h"
#include "jar/root/tier.h"
#include "os/fd.h"

namespace belljar::jar {

struct SystemDirectory {
  std::string host;  ///< resolved path on the host
  std::string name;  ///< "usr"
};

struct GenerationRequest {
  std::string roots_directory;  ///< beside the directory "jars" of the user's jars
  std::string state_directory;  ///< of the jar
  std::vector<SystemDirectory> directories;
  RootTier tier = RootTier::skeleton;
  Identity identity;
  std::string ca_subject_hash;
  std::function<void(const std::string&)> tell;
  std::string etc = "/etc";  ///< of the host; others are for tests
  std::string var = "/var";
};

struct Generation {
  std::string directory;
  os::Fd lock;         ///< shared: keeps it from being removed
  bool saved = false;  ///< the host's directories are not needed
  bool settled = false;
};

/// Where the jar's own changes are: the upper layers.
std::string own_directory(const std::string& state_directory);

/// Whether the jar has changed something in its system.
bool has_changes(const GenerationRequest& request);

/// The generation that this jar starts with, made first where needed (some seconds; told).
/// `limit_exceeded` where there is no room for one.
Result<Generation> take_generation(const GenerationRequest& request);

/// Brings it to the disk, saves what it lacks, removes generations that no jar uses. For a process of its
/// own: takes as long as it takes, and may be killed at any time.
Result<void> tend_generation(const GenerationRequest& request, const Generation& generation);

}  // namespace belljar::jar
