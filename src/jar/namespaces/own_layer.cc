#include "jar/namespaces/own_layer.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar::jar {

namespace {

/// Made last: without it nothing has run in the jar, and what is there is of a start that was cut off.
constexpr const char* kPlanted = ".seeded";

class OwnLayer {
 public:
  OwnLayer(os::Fd own, os::Fd tree, const Identity& identity)
      : own_(std::move(own)), tree_(std::move(tree)), identity_(identity) {}

  [[nodiscard]] bool is_planted() const { return ::faccessat(own_.get(), kPlanted, F_OK, 0) == 0; }

  Result<void> make_directory(const std::string& path, mode_t mode = 0755) const {
    auto [parent, name] = TRY(open_parent(path));
    if (::mkdirat(parent.get(), name.c_str(), mode) < 0)
      return errno == EEXIST ? Result<void>() : failed("make", path);
    auto made = TRY(os::open_beneath(own_.get(), path, O_RDONLY | O_DIRECTORY));
    return give(made, mode, path);
  }

  /// A file of the upper layer; `path` as the jar sees it.
  Result<os::Fd> make_file(const std::string& path, mode_t mode) const {
    TRY(make_parents(path));
    auto [parent, name] = TRY(open_parent("upper" + path));
    if (::unlinkat(parent.get(), name.c_str(), 0) < 0 && errno != ENOENT) return failed("replace", path);
    os::Fd made(::openat(parent.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!made) return failed("make", path);
    TRY(give(made, mode, path));
    return made;
  }

  Result<void> finish() const {
    constexpr mode_t kMode = 0600;
    os::Fd planted(::openat(own_.get(), kPlanted, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kMode));
    return planted ? give(planted, kMode, kPlanted) : failed("make", kPlanted);
  }

 private:
  struct Place {
    os::Fd parent;
    std::string name;
  };
  /// No link on the way counts: after a crash of the machine the layer may hold anything.
  [[nodiscard]] Result<Place> open_parent(const std::string& path) const {
    auto slash = path.rfind('/');
    if (slash == std::string::npos) return Place{TRY(own_.duplicate()), path};
    auto parent = TRY(os::open_beneath(own_.get(), path.substr(0, slash), O_PATH | O_DIRECTORY));
    return Place{std::move(parent), path.substr(slash + 1)};
  }

  /// Each with the mode that it has in the generation.
  [[nodiscard]] Result<void> make_parents(const std::string& path) const {
    for (auto slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      auto parent = path.substr(0, slash);
      auto below = TRY(os::open_beneath(tree_.get(), parent.substr(1), O_PATH | O_DIRECTORY));
      struct stat status {};
      if (::fstat(below.get(), &status) < 0) return failed("look at", parent);
      TRY(make_directory("upper" + parent, status.st_mode & 07777));
    }
    return {};
  }

  /// The mode whatever the caller's umask is, and to the jar's root.
  [[nodiscard]] Result<void> give(const os::Fd& made, mode_t mode, const std::string& path) const {
    if (::fchmod(made.get(), mode) < 0) return failed("set the mode of", path);
    if (identity_.privileged && ::fchown(made.get(), identity_.user, identity_.group) < 0)
      return failed("give the jar", path);
    return {};
  }

  static Error failed(const char* what, const std::string& path) {
    return Error::from_errno(errno, std::string(what) + " " + path + " of the jar's own system");
  }

  os::Fd own_;
  os::Fd tree_;  ///< of the generation; an image's, whose links lead anywhere, where it is one of an image
  Identity identity_;
};

Result<void> copy_content(int from, int to) {
  constexpr std::size_t kPart = 1U << 20;
  ssize_t copied = 0;
  do {
    copied = ::sendfile(to, from, nullptr, kPart);
  } while (copied > 0 || (copied < 0 && errno == EINTR));
  return copied == 0 ? Result<void>() : Error::from_errno(errno, "copy a bundle of certificates");
}

Result<void> make_places(const OwnLayer& layer, const WritableRoot& root) {
  for (const auto* path : {"upper", "work"})
    TRY(layer.make_directory(path));
  if (root.saved) return {};
  for (const auto& directory : root.directories) {
    TRY(layer.make_directory("upper/" + directory.name));
    TRY(layer.make_directory("work-" + directory.name));
  }
  return {};
}

}  // namespace

Result<void> plant_own_layer(const WritableRoot& root, const std::vector<std::string>& trusting,
                             const std::string& authority, const Identity& identity) {
  auto tree = TRY(os::open_file(root.generation.path + "/tree", O_PATH | O_DIRECTORY | O_NOFOLLOW));
  auto below = TRY(tree.duplicate());
  OwnLayer layer(TRY(os::open_file(root.own.path, O_PATH | O_DIRECTORY | O_NOFOLLOW)), std::move(below),
                 identity);
  // From here on the jar may have put anything in its place.
  if (layer.is_planted()) return {};
  TRY(make_places(layer, root));
  for (const auto& seed : root.seeds) {
    auto made = TRY(layer.make_file(seed.path, seed.mode));
    TRY(os::write_all(made.get(), as_bytes(seed.content)));
  }
  for (const auto& path : trusting) {
    auto bundle = os::open_beneath(tree.get(), path.substr(1), O_RDONLY | O_NOFOLLOW);
    if (!bundle) continue;  // behind a link; renew_files() finds its place
    auto made = TRY(layer.make_file(path, 0644));
    TRY(copy_content(bundle->get(), made.get()));
    TRY(os::write_all(made.get(), as_bytes(std::string(kAuthorityMark) + authority)));
  }
  return layer.finish();
}

}  // namespace belljar::jar
