// The jar's root as a value: what is shown, written and hidden. Made outside by one who knows the host,
// carried out inside (mounts.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jar/jar_spec.h"
#include "jar/namespaces/layers.h"
#include "jar/namespaces/sources.h"
#include "jar/root/files.h"

namespace belljar::jar {

struct SystemLink {
  std::string path;
  std::string target;
};

struct RootPlan {
  std::vector<Source> system;            ///< host system directories, read-only
  std::vector<SystemLink> links;         ///< bin → usr/bin …
  std::optional<WritableRoot> writable;  ///< else all of that is read-only, and
  Source etc;                            ///< the cleaned copy is /etc
  Source home;
  std::vector<Source> programs;
  std::vector<Source> workspace;  ///< none, one, or with the git directory that it belongs to
  std::vector<PrivateFile> files;
  std::vector<ExtendedFile> extended;
  std::vector<std::string> hidden;  ///< paths below the system directories that are masked
  std::uint64_t temporary_bytes =
      0;  ///< of /tmp; /dev/shm has half of it, /var a quarter: all of it is memory
};

/// Lists the system directories of this host.
void plan_system(RootPlan& plan);
/// Adds home, programs and workspace of the specification. A program that a system directory, the workspace
/// or another program shows already is left out.
void plan_own(RootPlan& plan, const JarSpec& spec);

/// Whether `path` is `directory` or lies below it.
bool is_within(const std::string& path, const std::string& directory);

}  // namespace belljar::jar
