// Mounts as values: a detached mount is a descriptor until it is attached somewhere. Paths are resolved by
// the caller (O_PATH descriptors), so that nothing that changes underneath can redirect a mount.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace belljar::os {

enum class Recursive : std::uint8_t { no, yes };

/// open_tree(2): a detached copy of the mount at `path` below `directory` (AT_FDCWD: a plain path). Symlinks
/// in the last component are not followed: the copy shows the link itself.
Result<Fd> copy_mount(int directory, const std::string& path, Recursive recursive);
/// The same for an O_PATH descriptor.
Result<Fd> copy_mount(int file, Recursive recursive);

using MountOptions = std::vector<std::pair<std::string, std::string>>;
/// fsopen(2) and fsmount(2): a new detached mount; `attributes` are MOUNT_ATTR_*.
Result<Fd> create_mount(const std::string& filesystem, const MountOptions& options, std::uint64_t attributes);

/// mount_setattr(2): adds MOUNT_ATTR_*; with `user_namespace` the mount becomes idmapped by it.
Result<void> restrict_mount(int mount, std::uint64_t attributes, Recursive recursive,
                            int user_namespace = -1);

/// move_mount(2): attaches a detached mount on what the O_PATH descriptor `target` names.
Result<void> attach_mount(int mount, int target);

}  // namespace belljar::os
