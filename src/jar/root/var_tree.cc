#include "jar/root/var_tree.h"

#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/root/system_tree.h"
#include "os/fd.h"

namespace belljar::jar {

namespace {

/// State of package managers and of what their scripts call; no service's.
constexpr const char* kCopied[] = {"lib/dpkg",
                                   "lib/rpm",
                                   "lib/pacman/local",
                                   "lib/ucf",
                                   "lib/pam",
                                   "lib/python",
                                   "lib/systemd/deb-systemd-helper-enabled",
                                   "lib/systemd/deb-systemd-user-helper-enabled",
                                   "lib/sgml-base",
                                   "lib/xml-core",
                                   "lib/emacsen-common",
                                   "lib/ghostscript",
                                   "lib/doc-base",
                                   "lib/dictionaries-common",
                                   "lib/binfmts",
                                   "lib/aspell",
                                   "lib/ispell",
                                   "lib/vim",
                                   "lib/xfonts",
                                   "lib/tex-common",
                                   "lib/texmf",
                                   "lib/apt/periodic",
                                   "cache/fontconfig",
                                   "cache/man",
                                   "cache/debconf"};
constexpr const char* kCopiedFiles[] = {"lib/apt/extended_states", "lib/shells.state"};
/// Directories whose subdirectories' names packages rely on.
constexpr const char* kParents[] = {"lib", "cache", "log", "spool"};
constexpr const char* kMade[] = {"lib/apt",
                                 "lib/apt/lists",
                                 "lib/apt/lists/partial",
                                 "lib/apt/mirrors",
                                 "cache/apt",
                                 "cache/apt/archives",
                                 "cache/apt/archives/partial",
                                 "log/apt",
                                 "mail",
                                 "local",
                                 "opt",
                                 "backups"};

class VarMaker {
 public:
  VarMaker(std::string var, std::string tree, const Identity& identity)
      : var_(std::move(var)), tree_(std::move(tree)), identity_(identity) {}

  Result<void> make() {
    TRY(directory("", 0755));
    for (const auto* parent : kParents) {
      TRY(directory(parent, 0755));
      TRY(empty_children(parent));
    }
    for (const auto* path : kMade)
      TRY(directory(path, 0755));
    TRY(directory("tmp", 01777));
    TRY(link("run", "/run"));
    TRY(link("lock", "/run/lock"));
    for (const auto* path : kCopied)
      TRY(copy(path));
    for (const auto* path : kCopiedFiles)
      TRY(copy_file(path));
    return {};
  }

 private:
  [[nodiscard]] Result<void> give(const std::string& path) const {
    if (identity_.privileged && ::lchown(path.c_str(), identity_.user, identity_.group) < 0)
      return Error::from_errno(errno, "give " + path + " to the jars");
    return {};
  }

  [[nodiscard]] Result<void> directory(const std::string& path, mode_t mode) const {
    auto whole = path.empty() ? tree_ : tree_ + "/" + path;
    if (::mkdir(whole.c_str(), mode) < 0 && errno != EEXIST)
      return Error::from_errno(errno, "mkdir " + whole);
    if (::chmod(whole.c_str(), mode) < 0) return Error::from_errno(errno, "chmod " + whole);
    return give(whole);
  }

  [[nodiscard]] Result<void> link(const std::string& path, const char* target) const {
    if (::symlink(target, (tree_ + "/" + path).c_str()) < 0)
      return Error::from_errno(errno, "link /var/" + path);
    return give(tree_ + "/" + path);
  }

  /// The names of what is in there, which are those of installed packages.
  [[nodiscard]] Result<void> empty_children(const std::string& parent) const {
    std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir((var_ + "/" + parent).c_str()), &::closedir);
    if (!listing) return {};
    while (const auto* entry = ::readdir(listing.get())) {
      struct stat status {};
      if (entry->d_name[0] == '.' ||
          ::fstatat(::dirfd(listing.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
          !S_ISDIR(status.st_mode))
        continue;
      TRY(directory(parent + "/" + entry->d_name, 0755));
    }
    return {};
  }

  Result<void> copy(const std::string& path) {
    struct stat status {};
    auto from = var_ + "/" + path;
    constexpr mode_t kOpen = S_IROTH | S_IXOTH;
    if (::lstat(from.c_str(), &status) < 0 || !S_ISDIR(status.st_mode) || (status.st_mode & kOpen) != kOpen)
      return {};
    for (auto at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1))
      TRY(directory(path.substr(0, at), 0755));
    auto to = tree_ + "/" + path;
    if (::rmdir(to.c_str()) < 0 && errno != ENOENT) return Error::from_errno(errno, "replace " + to);
    // Whole copies, whatever their size: these files are rewritten in place on the host.
    TreeWork work{.tier = RootTier::metadata, .identity = identity_, .made = {}, .small_file = kAnySize};
    (void)TRY(make_tree({.host = from, .previous = "", .tree = to}, work));
    return {};
  }

  [[nodiscard]] Result<void> copy_file(const std::string& path) const {
    struct stat status {};
    auto opened = os::open_file(var_ + "/" + path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!opened || ::fstat(opened->get(), &status) < 0 || !S_ISREG(status.st_mode) ||
        (status.st_mode & S_IROTH) == 0)
      return {};
    auto content = TRY(os::read_all(opened->get(), 64U << 20));
    auto to = tree_ + "/" + path;
    auto made = TRY(os::open_file(to, O_WRONLY | O_CREAT | O_EXCL, 0644));
    if (::fchmod(made.get(), 0644) < 0) return Error::from_errno(errno, "chmod " + to);
    TRY(os::write_all(made.get(), as_bytes(content)));
    return give(to);
  }

  std::string var_, tree_;
  const Identity& identity_;
};

}  // namespace

Result<void> make_var(const std::string& var, const std::string& tree, const Identity& identity) {
  return VarMaker(var, tree, identity).make().context("copying " + var + " for the jars");
}

}  // namespace belljar::jar
