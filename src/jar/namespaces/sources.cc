#include "jar/namespaces/sources.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/workspace/walk.h"
#include "os/mount.h"

namespace belljar::jar {

namespace {

Result<void> give_to_jar(Source& source, const Identity& identity, int jar_users) {
  struct stat status {};
  if (::fstat(source.mount.get(), &status) < 0) return Error::from_errno(errno, "look at " + source.path);
  // The jar's own namespace maps root's files to the jar already.
  os::Fd made;
  bool of_root = status.st_uid == 0 && status.st_gid == 0;
  if (!of_root) made = TRY(create_owner_map(status.st_uid, status.st_gid, identity));
  auto mapped =
      os::restrict_mount(source.mount.get(), 0, os::Recursive::no, of_root ? jar_users : made.get());
  if (mapped) return {};
  // A program that everybody may read works without.
  if (source.access == Access::program) return {};
  return std::move(mapped)
      .error()
      .context("the filesystem of " + source.path +
               " can't show its files as another owner's (idmapped mounts)")
      .with_hint("run belljar as the directory's owner instead of root");
}

Result<os::Fd> copy_source(const Source& source, os::Recursive recursive) {
  if (source.access != Access::as_owner) return os::copy_mount(AT_FDCWD, source.path, recursive);
  auto workspace = TRY(open_workspace(source.path, O_PATH));
  return os::copy_mount(workspace.get(), recursive);
}

}  // namespace

Result<void> open_source(Source& source, const Identity& identity, int jar_users) {
  // Root may leave out what is mounted below a directory that it gives to the jar, and must: those mounts
  // would keep their own owners. For others the kernel insists on all of it.
  bool given = is_given(source, identity);
  auto recursive = given ? os::Recursive::no : os::Recursive::yes;
  source.mount = TRY(copy_source(source, recursive));
  if (given) TRY(give_to_jar(source, identity, jar_users));
  std::uint64_t attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (source.access == Access::read_only || source.access == Access::program) attributes |= MOUNT_ATTR_RDONLY;
  return os::restrict_mount(source.mount.get(), attributes, recursive).context("showing " + source.path);
}

}  // namespace belljar::jar
