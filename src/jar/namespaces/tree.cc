#include "jar/namespaces/tree.h"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/mount.h"

namespace belljar::jar {

namespace {

Result<os::Fd> open_inside(int parent, const std::string& path, int flags, unsigned mode = 0) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags) | O_CLOEXEC;
  how.mode = mode;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  os::Fd file(static_cast<int>(::syscall(SYS_openat2, parent, path.c_str(), &how, sizeof how)));
  if (!file) return Error::from_errno(errno, "open " + path + " of the jar");
  return file;
}

bool is_directory(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
}

/// Renames what the jar left in the way; never replaces anything.
Result<void> displace(int parent, const std::string& name) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    auto aside = name + ".displaced" + (attempt == 0 ? "" : std::to_string(attempt));
    if (::renameat2(parent, name.c_str(), parent, aside.c_str(), RENAME_NOREPLACE) == 0) return {};
    if (errno != EEXIST) break;
  }
  return Error::from_errno(errno, "move " + name + " out of the way");
}

}  // namespace

SplitPath split_path(const std::string& path) {
  auto slash = path.rfind('/');
  if (slash == std::string::npos) return {"/", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

Result<os::Fd> Tree::step(int parent, const std::string& name, unsigned mode) {
  bool made = ::mkdirat(parent, name.c_str(), mode) == 0;
  if (!made && errno != EEXIST) return Error::from_errno(errno, "make the directory " + name + " of the jar");
  auto opened = open_inside(parent, name, O_PATH | O_NOFOLLOW);
  if (opened && is_directory(opened->get())) return opened;
  TRY(displace(parent, name));
  if (::mkdirat(parent, name.c_str(), mode) < 0)
    return Error::from_errno(errno, "make the directory " + name + " of the jar");
  return open_inside(parent, name, O_PATH | O_NOFOLLOW | O_DIRECTORY);
}

Result<os::Fd> Tree::directory(const std::string& path, unsigned mode) {
  // What is there already, at once.
  auto whole = open_inside(root_.get(), path, O_PATH | O_NOFOLLOW | O_DIRECTORY);
  if (whole) return whole;
  auto here = TRY(open_inside(root_.get(), ".", O_PATH | O_DIRECTORY));
  for (std::size_t at = 0; at < path.size();) {
    auto end = std::min(path.find('/', at), path.size());
    auto name = path.substr(at, end - at);
    at = end + 1;
    if (name.empty()) continue;
    if (name == "." || name == "..") return Error(ErrorCode::invalid_argument, "a path with dots: " + path);
    here = TRY(step(here.get(), name, mode).context("preparing " + path));
  }
  return here;
}

Result<os::Fd> Tree::file(const std::string& path) {
  auto whole = existing(path);
  struct stat status {};
  if (whole && ::fstat(whole->get(), &status) == 0 && S_ISREG(status.st_mode)) return whole;
  auto [parent_path, name] = split_path(path);
  auto parent = TRY(directory(parent_path));
  auto opened = open_inside(parent.get(), name, O_PATH | O_NOFOLLOW);
  if (opened && ::fstat(opened->get(), &status) == 0 && S_ISREG(status.st_mode)) return opened;
  if (opened) TRY(displace(parent.get(), name));
  (void)TRY(open_inside(parent.get(), name, O_WRONLY | O_CREAT | O_EXCL, 0644));
  return open_inside(parent.get(), name, O_PATH | O_NOFOLLOW);
}

Result<os::Fd> Tree::existing(const std::string& path) {
  return open_inside(root_.get(), path, O_PATH | O_NOFOLLOW);
}

Result<void> Tree::write(const std::string& path, std::string_view content, unsigned mode) {
  auto [parent_path, name] = split_path(path);
  auto parent = TRY(directory(parent_path));
  auto made = TRY(open_inside(parent.get(), name, O_WRONLY | O_CREAT | O_EXCL, mode));
  return os::write_all(made.get(), as_bytes(content)).context("write " + path + " of the jar");
}

Result<void> Tree::write_behind(const std::string& path, const os::Fd& base, std::string_view more) {
  auto [parent_path, name] = split_path(path);
  auto parent = TRY(directory(parent_path));
  auto made = TRY(open_inside(parent.get(), name, O_WRONLY | O_CREAT | O_EXCL, 0644));
  constexpr std::size_t kPart = 1U << 20;
  ssize_t copied = 0;
  do {
    copied = ::sendfile(made.get(), base.get(), nullptr, kPart);
  } while (copied > 0 || (copied < 0 && errno == EINTR));
  if (copied < 0) return Error::from_errno(errno, "write " + path + " of the jar");
  return os::write_all(made.get(), as_bytes(more)).context("write " + path + " of the jar");
}

Result<void> Tree::link(const std::string& path, const std::string& target) {
  auto [parent_path, name] = split_path(path);
  auto parent = TRY(directory(parent_path));
  if (::symlinkat(target.c_str(), parent.get(), name.c_str()) < 0)
    return Error::from_errno(errno, "make the link " + path + " of the jar");
  return {};
}

Result<void> Tree::attach(const os::Fd& mount, const std::string& path) {
  auto target = is_directory(mount.get()) ? directory(path) : file(path);
  if (!target) return std::move(target).error();
  return os::attach_mount(mount.get(), target->get()).context("attach " + path);
}

}  // namespace belljar::jar
