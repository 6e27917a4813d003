// How the layers of one system directory are put together.
#pragma once

#include <string>

#include "base/result.h"
#include "jar/root/tier.h"
#include "os/mount.h"

namespace belljar::jar {

/// Paths as the mounting process reaches them, short (an option has at most 255 bytes) and without colons.
struct LayerPaths {
  std::string tree;  ///< of the generation
  std::string data;  ///< its contents that are saved so far, and
  std::string host;  ///< the host's directory for the others; both empty where the tree lacks nothing
  std::string upper;
  std::string work;
};

/// Options of an overlay.
os::MountOptions layer_options(const LayerPaths& paths, RootTier tier);

/// Makes an empty file of a metadata layer take its content from this path in the layers below, absolute from
/// their roots.
Result<void> name_content(int file, const std::string& path);
/// Whether a file of a layer is such an empty one.
bool names_content(int file);
/// Makes a directory hide what the layers below have at its place.
Result<void> hide_below(int directory);

}  // namespace belljar::jar
