#include "jar/namespaces/procfs.h"

#include <fcntl.h>
#include <sys/mount.h>

#include "os/mount.h"

namespace belljar::jar {

namespace {

constexpr const char* kReadOnly[] = {"/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs",
                                     "/proc/sysrq-trigger"};
constexpr const char* kEmptyFiles[] = {
    "/proc/kcore",       "/proc/keys",    "/proc/timer_list", "/proc/config.gz",
    "/proc/kallsyms",    "/proc/kmsg",    "/proc/key-users",  "/proc/latency_stats",
    "/proc/sched_debug", "/proc/modules", "/proc/slabinfo",   "/proc/vmallocinfo",
    "/proc/kpagecount",  "/proc/iomem",   "/proc/ioports",    "/proc/interrupts"};
constexpr const char* kEmptyDirectories[] = {"/proc/acpi", "/proc/scsi", "/proc/asound", "/proc/driver",
                                             "/proc/dynamic_debug"};
constexpr std::uint64_t kInert = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;

}  // namespace

Result<void> build_procfs(Tree& tree) {
  auto mount = TRY(os::create_mount("proc", {}, kInert));
  return tree.attach(mount, "/proc");
}

Result<void> forbid_user_namespaces() {
  auto limit = TRY(os::open_file("/proc/sys/user/max_user_namespaces", O_WRONLY));
  return os::write_all(limit.get(), as_bytes("0")).context("forbid user namespaces in the jar");
}

Result<void> mask_procfs(Tree& tree) {
  for (const auto* path : kReadOnly) {
    auto target = tree.existing(path);
    if (!target) continue;  // not of this kernel
    auto copy = TRY(os::copy_mount(target->get(), os::Recursive::no));
    TRY(os::restrict_mount(copy.get(), MOUNT_ATTR_RDONLY | kInert, os::Recursive::no));
    TRY(os::attach_mount(copy.get(), target->get()));
  }
  for (const auto* path : kEmptyFiles) {
    auto target = tree.existing(path);
    if (!target) continue;
    auto null = TRY(tree.existing("/dev/null"));
    auto copy = TRY(os::copy_mount(null.get(), os::Recursive::no));
    TRY(os::attach_mount(copy.get(), target->get()));
  }
  for (const auto* path : kEmptyDirectories) {
    auto target = tree.existing(path);
    if (!target) continue;
    auto empty =
        TRY(os::create_mount("tmpfs", {{"mode", "0555"}, {"nr_inodes", "1"}}, MOUNT_ATTR_RDONLY | kInert));
    TRY(os::attach_mount(empty.get(), target->get()));
  }
  return {};
}

}  // namespace belljar::jar
