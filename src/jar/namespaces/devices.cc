#include "jar/namespaces/devices.h"

#include <fcntl.h>
#include <sys/mount.h>

#include "os/mount.h"

namespace belljar::jar {

namespace {
constexpr const char* kDevices[] = {"null", "zero", "full", "random", "urandom", "tty"};
constexpr std::pair<const char*, const char*> kLinks[] = {
    {"/dev/fd", "/proc/self/fd"},       {"/dev/stdin", "/proc/self/fd/0"}, {"/dev/stdout", "/proc/self/fd/1"},
    {"/dev/stderr", "/proc/self/fd/2"}, {"/dev/ptmx", "pts/ptmx"},
};
}  // namespace

Result<void> build_devices(Tree& tree, std::uint64_t shared_memory_bytes) {
  auto directory = TRY(os::create_mount("tmpfs", {{"mode", "0755"}, {"size", "64k"}, {"nr_inodes", "64"}},
                                        MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  TRY(tree.attach(directory, "/dev"));
  for (const auto* name : kDevices) {
    auto path = std::string("/dev/") + name;
    auto device = TRY(os::copy_mount(AT_FDCWD, path, os::Recursive::no));
    TRY(os::restrict_mount(device.get(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, os::Recursive::no));
    TRY(tree.attach(device, path));
  }
  auto terminals =
      TRY(os::create_mount("devpts", {{"newinstance", ""}, {"ptmxmode", "0666"}, {"mode", "0620"}},
                           MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  TRY(tree.attach(terminals, "/dev/pts"));
  auto shared =
      TRY(os::create_mount("tmpfs", {{"mode", "1777"}, {"size", std::to_string(shared_memory_bytes)}},
                           MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  TRY(tree.attach(shared, "/dev/shm"));
  for (const auto& [path, target] : kLinks)
    TRY(tree.link(path, target));
  return {};
}

}  // namespace belljar::jar
