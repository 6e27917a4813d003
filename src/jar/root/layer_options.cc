#include "jar/root/layer_options.h"

#include <cerrno>

#include <sys/xattr.h>

namespace belljar::jar {

os::MountOptions layer_options(const LayerPaths& paths, RootTier tier) {
  auto lower = paths.tree;
  if (!paths.host.empty()) {
    // After "::" come layers that are only asked for contents.
    if (tier == RootTier::metadata) lower += "::" + paths.data + "::" + paths.host;
    if (tier == RootTier::skeleton) lower += ":" + paths.host;
  }
  return {{"lowerdir", lower}, {"upperdir", paths.upper}, {"workdir", paths.work}, {"userxattr", ""}};
}

Result<void> name_content(int file, const std::string& path) {
  if (::fsetxattr(file, "user.overlay.metacopy", "", 0, 0) < 0 ||
      ::fsetxattr(file, "user.overlay.redirect", path.data(), path.size(), 0) < 0)
    return Error::from_errno(errno, "name the content of " + path);
  return {};
}

bool names_content(int file) { return ::fgetxattr(file, "user.overlay.metacopy", nullptr, 0) >= 0; }

Result<void> hide_below(int directory) {
  if (::fsetxattr(directory, "user.overlay.opaque", "y", 1, 0) < 0)
    return Error::from_errno(errno, "close a directory of a layer");
  return {};
}

}  // namespace belljar::jar
