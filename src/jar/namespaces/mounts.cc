#include "jar/namespaces/mounts.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jar/namespaces/devices.h"
#include "jar/namespaces/procfs.h"
#include "os/mount.h"

namespace belljar::jar {

namespace {

constexpr std::uint64_t kPlain = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
/// Directories that the new root may be mounted on for as long as it takes to enter it.
constexpr const char* kStaging[] = {"/tmp", "/mnt", "/var", "/usr"};

Result<Tree> stage_root() {
  auto root = TRY(os::create_mount("tmpfs", {{"mode", "0755"}, {"size", "8m"}, {"nr_inodes", "8k"}}, kPlain));
  for (const auto* path : kStaging) {
    auto place = os::open_file(path, O_PATH | O_DIRECTORY);
    if (!place || !os::attach_mount(root.get(), place->get())) continue;
    return Tree(TRY(os::open_file(path, O_PATH | O_DIRECTORY)));
  }
  return Error(ErrorCode::unsupported, "no directory of this host can hold the jar's root while it is built");
}

Result<void> mount_temporary(Tree& tree, const std::string& path, const char* mode, std::uint64_t bytes) {
  auto mount = TRY(os::create_mount("tmpfs", {{"mode", mode}, {"size", std::to_string(bytes)}}, kPlain));
  return tree.attach(mount, path);
}

/// Shows a file of the private directory over the copy of /etc.
Result<void> show_private(Tree& tree, const RootPlan& plan, const std::string& path) {
  auto written = TRY(tree.existing(kPrivateDirectory + path));
  auto copy = TRY(os::copy_mount(written.get(), os::Recursive::no));
  TRY(os::restrict_mount(copy.get(), MOUNT_ATTR_RDONLY | kPlain, os::Recursive::no));
  // A jar that may write there may have taken it away.
  auto target = TRY(plan.writable ? tree.file(path) : tree.existing(path));
  return os::attach_mount(copy.get(), target.get()).context("show " + path);
}

/// The files of the jar's own.
Result<void> place_files(Tree& tree, const RootPlan& plan) {
  for (const auto& file : plan.files) {
    TRY(tree.write(kPrivateDirectory + file.path, file.content, file.mode));
    TRY(show_private(tree, plan, file.path));
  }
  for (const auto& file : plan.extended) {
    TRY(tree.write_behind(kPrivateDirectory + file.path, file.base, file.more));
    TRY(show_private(tree, plan, file.path));
  }
  return {};
}

/// What the host's caller could read there but others can't.
Result<void> hide_paths(Tree& tree, const RootPlan& plan) {
  for (const auto& path : plan.hidden) {
    auto target = tree.existing(path);
    if (!target && target.error().system_errno() == ENOENT) continue;  // gone since it was found
    if (!target) return std::move(target).error().context("hide " + path);
    struct stat status {};
    if (::fstat(target->get(), &status) < 0) return Error::from_errno(errno, "look at " + path);
    os::Fd mask;
    if (S_ISDIR(status.st_mode)) {
      mask =
          TRY(os::create_mount("tmpfs", {{"mode", "0555"}, {"nr_inodes", "1"}}, MOUNT_ATTR_RDONLY | kPlain));
    } else {
      auto null = TRY(tree.existing("/dev/null"));
      mask = TRY(os::copy_mount(null.get(), os::Recursive::no));
    }
    TRY(os::attach_mount(mask.get(), target->get()).context("hide " + path));
  }
  return {};
}

Result<void> build_skeleton(Tree& tree, const RootPlan& plan) {
  for (const auto* path : {"/srv", "/mnt", "/media", "/sys", "/home"})
    (void)TRY(tree.directory(path));
  for (const auto& link : plan.links)
    TRY(tree.link(link.path, link.target));
  TRY(mount_temporary(tree, "/tmp", "1777", plan.temporary_bytes));
  TRY(mount_temporary(tree, "/run", "0755", 64U << 20));
  (void)TRY(tree.directory("/run/lock"));
  return mount_temporary(tree, kPrivateDirectory, "0755", 16U << 20);
}

/// A jar without layers has nothing of its own but its home.
Result<void> build_read_only(Tree& tree, const RootPlan& plan) {
  TRY(mount_temporary(tree, "/var", "0755", plan.temporary_bytes / 4));
  for (const auto* path : {"/var/lib", "/var/cache", "/var/log", "/var/spool"})
    (void)TRY(tree.directory(path));
  (void)TRY(tree.directory("/var/tmp", 01777));
  TRY(tree.link("/var/run", "/run"));
  TRY(tree.link("/var/lock", "/run/lock"));
  for (const auto& source : plan.system)
    TRY(tree.attach(source.mount, source.target));
  return tree.attach(plan.etc.mount, "/etc");
}

Result<void> build_layered(Tree& tree, RootPlan& plan) {
  TRY(mount_layers(tree, *plan.writable));
  for (const auto& source : plan.system)
    TRY(tree.attach(source.mount, source.target));
  return renew_files(tree, *plan.writable);
}

/// Adds MOUNT_ATTR_RDONLY to the mount whose root this path is.
Result<void> make_read_only(Tree& tree, const std::string& path) {
  auto root = TRY(tree.existing(path));
  return os::restrict_mount(root.get(), MOUNT_ATTR_RDONLY, os::Recursive::no)
      .context("make " + path + " read-only");
}

}  // namespace

Result<Tree> build_root(RootPlan& plan) {
  auto tree = TRY(stage_root());
  TRY(build_skeleton(tree, plan));
  TRY(plan.writable ? build_layered(tree, plan) : build_read_only(tree, plan));
  TRY(build_devices(tree, plan.temporary_bytes / 2));
  TRY(build_procfs(tree));
  TRY(tree.attach(plan.home.mount, plan.home.target));
  for (const auto* group : {&plan.programs, &plan.workspace})
    for (const auto& source : *group)
      TRY(tree.attach(source.mount, source.target));
  TRY(place_files(tree, plan));
  TRY(hide_paths(tree, plan));
  return tree;
}

Result<void> enter_root(const Tree& tree) {
  if (::fchdir(tree.root()) < 0) return Error::from_errno(errno, "enter the jar's root");
  // Both at the same place: the old root ends up on top and is taken away.
  if (::syscall(SYS_pivot_root, ".", ".") < 0) return Error::from_errno(errno, "change to the jar's root");
  if (::umount2(".", MNT_DETACH) < 0) return Error::from_errno(errno, "leave the host's root");
  if (::chdir("/") < 0) return Error::from_errno(errno, "enter the jar's root");
  return {};
}

Result<void> seal_root(Tree& tree) {
  TRY(mask_procfs(tree));
  for (const auto* path : {"/dev", kPrivateDirectory})
    TRY(make_read_only(tree, path));
  return os::restrict_mount(tree.root(), MOUNT_ATTR_RDONLY, os::Recursive::no).context("make / read-only");
}

}  // namespace belljar::jar
