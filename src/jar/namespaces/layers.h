// The writable system directories of a jar: overlays of a root generation and the jar's own changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jar/namespaces/sources.h"
#include "jar/namespaces/tree.h"
#include "jar/root/files.h"
#include "jar/root/tier.h"

namespace belljar::jar {

struct LayeredDirectory {
  std::string name;            ///< of its layers: "usr"
  std::string target;          ///< in the jar: "/usr"
  std::optional<Source> host;  ///< where the contents are that are not saved yet; none: nothing is lacking
};

struct WritableRoot {
  RootTier tier = RootTier::skeleton;
  bool saved = false;
  bool of_image = false;  ///< the accounts are the image's, too
  Source generation;
  Source own;  ///< upper layers; the jar's root owns it
  std::vector<LayeredDirectory> directories;
  std::vector<PrivateFile> seeds;  ///< for a fresh jar (own_layer.h); not told to the first process
  std::vector<std::string>
      bundles;                   ///< certificates that the jar's authority is added to, as paths in the jar
  std::string authority;         ///< PEM; empty: none
  std::string host_name;         ///< kept in /etc/hosts
  std::vector<os::Fd> overlays;  ///< once mounted
};

/// Mounts every directory at its place, and keeps the overlays in `root`. For the child, before it enters the
/// new root.
Result<void> mount_layers(Tree& tree, WritableRoot& root);

/// Brings the jar's own files in /etc up to date: its name, its authority.
Result<void> renew_files(Tree& tree, const WritableRoot& root);

}  // namespace belljar::jar
