#include "jar/namespaces/guard_mounts.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/namespaces/mounts.h"
#include "os/mount.h"

namespace belljar::jar {

namespace {

constexpr std::uint64_t kInert = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
/// Writable: git makes its lock file beside what the link points to.
constexpr const char* kCopies = "/run/git-config";

class Applier {
 public:
  Applier(const GuardPlan& plan, Tree& tree, std::size_t first_copy)
      : plan_(plan), tree_(tree), first_copy_(first_copy) {}

  Result<void> apply() {
    for (const auto& path : plan_.pinned)
      TRY(bind_self(path, kInert, os::Recursive::yes).context("pin " + path));
    for (const auto& path : plan_.read_only)
      TRY(bind_self(path, kInert | MOUNT_ATTR_RDONLY, os::Recursive::no).context("protect " + path));
    for (std::size_t i = 0; i < plan_.copies.size(); ++i)
      TRY(show_copy(plan_.copies[i], first_copy_ + i).context("protect " + plan_.copies[i].path));
    for (const auto& path : plan_.masked)
      TRY(mask(path).context("mask " + path));
    return {};
  }

 private:
  [[nodiscard]] std::string inside(const std::string& path) const { return plan_.workspace + "/" + path; }

  Result<void> bind_self(const std::string& path, std::uint64_t attributes, os::Recursive recursive) {
    auto target = TRY(tree_.existing(inside(path)));
    auto copy = TRY(os::copy_mount(target.get(), recursive));
    TRY(os::restrict_mount(copy.get(), attributes, recursive));
    return os::attach_mount(copy.get(), target.get());
  }

  /// A symlink mounted over the file: programs that replace the file by renaming another over it, as git
  /// does, follow the link first and replace the copy. Where the kernel can't, the file is read-only.
  Result<void> show_copy(const GuardPlan::PrivateCopy& copy, std::size_t number) {
    auto real = fmt::format("{}/{}/config", kCopies, number);
    auto link = fmt::format("{}/git-config/{}", kPrivateDirectory, number);
    TRY(tree_.write(real, copy.content));
    TRY(tree_.link(link, real));
    auto mount = os::copy_mount(tree_.root(), link.substr(1), os::Recursive::no);
    auto target = TRY(tree_.existing(inside(copy.path)));
    if (mount && os::restrict_mount(mount->get(), kInert | MOUNT_ATTR_RDONLY, os::Recursive::no) &&
        os::attach_mount(mount->get(), target.get()))
      return {};
    return bind_self(copy.path, kInert | MOUNT_ATTR_RDONLY, os::Recursive::no);
  }

  Result<void> mask(const std::string& path) {
    auto target = tree_.existing(inside(path));
    if (!target && target.error().system_errno() == ENOENT) return {};  // gone since the walk
    if (!target) return std::move(target).error();
    struct stat status {};
    if (::fstat(target->get(), &status) < 0 || !(S_ISSOCK(status.st_mode) || S_ISFIFO(status.st_mode)))
      return {};
    auto null = TRY(tree_.existing("/dev/null"));
    auto copy = TRY(os::copy_mount(null.get(), os::Recursive::no));
    return os::attach_mount(copy.get(), target->get());
  }

  const GuardPlan& plan_;
  Tree& tree_;
  std::size_t first_copy_;
};

}  // namespace

Result<void> apply_guard(const GuardPlan& plan, Tree& tree, std::size_t first_copy) {
  if (plan.workspace.empty()) return {};
  return Applier(plan, tree, first_copy).apply().context("guarding the workspace");
}

}  // namespace belljar::jar
