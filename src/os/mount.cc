#include "os/mount.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar::os {

namespace {

Result<Fd> open_copy(int directory, const std::string& path, unsigned flags, Recursive recursive) {
  flags |= OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC;
  if (recursive == Recursive::yes) flags |= AT_RECURSIVE;
  Fd mount(static_cast<int>(::syscall(SYS_open_tree, directory, path.c_str(), flags)));
  if (!mount) return Error::from_errno(errno, "copy the mount of " + path);
  return mount;
}

Result<void> configure(int context, unsigned command, const char* key, const char* value) {
  if (::syscall(SYS_fsconfig, context, command, key, value, 0) < 0)
    return Error::from_errno(errno, std::string("configure a mount: ") + (key == nullptr ? "create" : key));
  return {};
}

}  // namespace

Result<Fd> copy_mount(int directory, const std::string& path, Recursive recursive) {
  return open_copy(directory, path, AT_SYMLINK_NOFOLLOW, recursive);
}

Result<Fd> copy_mount(int file, Recursive recursive) { return open_copy(file, "", AT_EMPTY_PATH, recursive); }

Result<Fd> create_mount(const std::string& filesystem, const MountOptions& options,
                        std::uint64_t attributes) {
  Fd context(static_cast<int>(::syscall(SYS_fsopen, filesystem.c_str(), FSOPEN_CLOEXEC)));
  if (!context) return Error::from_errno(errno, "open the filesystem " + filesystem);
  for (const auto& [key, value] : options) {
    if (value.empty())
      TRY(configure(context.get(), FSCONFIG_SET_FLAG, key.c_str(), nullptr));
    else
      TRY(configure(context.get(), FSCONFIG_SET_STRING, key.c_str(), value.c_str()));
  }
  TRY(configure(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr).context("mount " + filesystem));
  Fd mount(static_cast<int>(::syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC, attributes)));
  if (!mount) return Error::from_errno(errno, "mount " + filesystem);
  return mount;
}

Result<void> restrict_mount(int mount, std::uint64_t attributes, Recursive recursive, int user_namespace) {
  mount_attr wanted{};
  wanted.attr_set = attributes;
  if (user_namespace >= 0) {
    wanted.attr_set |= MOUNT_ATTR_IDMAP;
    wanted.userns_fd = static_cast<__u64>(user_namespace);
  }
  unsigned flags = AT_EMPTY_PATH | (recursive == Recursive::yes ? AT_RECURSIVE : 0U);
  if (::syscall(SYS_mount_setattr, mount, "", flags, &wanted, sizeof wanted) < 0)
    return Error::from_errno(errno, "restrict a mount");
  return {};
}

Result<void> attach_mount(int mount, int target) {
  if (::syscall(SYS_move_mount, mount, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
    return Error::from_errno(errno, "attach a mount");
  return {};
}

}  // namespace belljar::os
