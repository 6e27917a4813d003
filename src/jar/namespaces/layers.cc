#include "jar/namespaces/layers.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/namespaces/own_layer.h"
#include "jar/root/layer_options.h"
#include "os/mount.h"

namespace belljar::jar {

namespace {

constexpr std::uint64_t kPlain = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr std::size_t kMaxHosts = 64U << 10;

/// Layers must be mounted somewhere while they are put together. Here it is on a directory of the host's, in
/// this process's own view of it, which is left behind as a whole (enter_root).
class Staging {
 public:
  /// The path by which the kernel finds this layer.
  Result<std::string> place(const os::Fd& mount) {
    constexpr const char* kPlace = "/usr";
    auto target = TRY(os::open_file(kPlace, O_PATH | O_DIRECTORY));
    TRY(os::attach_mount(mount.get(), target.get()));
    roots_.push_back(TRY(os::open_file(kPlace, O_PATH | O_DIRECTORY)));
    return fmt::format("/proc/self/fd/{}", roots_.back().get());
  }

 private:
  std::vector<os::Fd> roots_;
};

Result<void> make_own(int own, const std::string& path) {
  if (::mkdirat(own, path.c_str(), 0755) < 0 && errno != EEXIST)
    return Error::from_errno(errno, "make the jar's directory " + path);
  return {};
}

struct Places {
  std::string generation;
  std::string own;
};

Result<os::Fd> create_overlay(const WritableRoot& root, const LayerPaths& paths) {
  return os::create_mount("overlay", layer_options(paths, root.tier), kPlain);
}

/// All at once, when the generation lacks nothing.
Result<void> mount_together(Tree& tree, WritableRoot& root, Staging& staging, const Places& places) {
  auto overlay = TRY(create_overlay(root, {.tree = places.generation + "/tree",
                                           .data = "",
                                           .host = "",
                                           .upper = places.own + "/upper",
                                           .work = places.own + "/work"}));
  auto whole = TRY(staging.place(overlay));
  for (const auto& directory : root.directories) {
    auto part = TRY(os::copy_mount(AT_FDCWD, whole + "/" + directory.name, os::Recursive::no));
    TRY(tree.attach(part, directory.target));
  }
  root.overlays.push_back(std::move(overlay));
  return {};
}

/// Each by itself, as the host's directories are needed and an overlay can't look below a mount.
Result<void> mount_apart(Tree& tree, WritableRoot& root, Staging& staging, const Places& places) {
  int own = root.own.mount.get();
  for (const auto& directory : root.directories) {
    TRY(make_own(own, "upper/" + directory.name));
    TRY(make_own(own, "work-" + directory.name));
    LayerPaths paths{.tree = places.generation + "/tree/" + directory.name,
                     .data = places.generation + "/data/" + directory.name,
                     .host = "",
                     .upper = places.own + "/upper/" + directory.name,
                     .work = places.own + "/work-" + directory.name};
    if (directory.host) paths.host = TRY(staging.place(directory.host->mount));
    auto overlay = create_overlay(root, paths);
    if (!overlay) return std::move(overlay).error().context("putting " + directory.target + " together");
    TRY(tree.attach(*overlay, directory.target));
    root.overlays.push_back(std::move(*overlay));
  }
  return {};
}

/// A regular file of the jar's, opened anew for reading and writing; nothing when it is something else by
/// now.
os::Fd reopen(Tree& tree, const std::string& path) {
  auto place = tree.existing(path);
  struct stat status {};
  if (!place || ::fstat(place->get(), &status) < 0 || !S_ISREG(status.st_mode)) return {};
  return os::Fd(::open(fmt::format("/proc/self/fd/{}", place->get()).c_str(), O_RDWR | O_CLOEXEC));
}

/// The authority is another at every start; what stands before it may be the jar's own.
Result<void> renew_authority(int bundle, const std::string& authority) {
  constexpr off_t kTail = 16U << 10;
  struct stat status {};
  if (::fstat(bundle, &status) < 0) return Error::from_errno(errno, "look at a bundle of certificates");
  auto from = std::max<off_t>(0, status.st_size - kTail);
  std::string tail(static_cast<std::size_t>(status.st_size - from), 0);
  auto count = ::pread(bundle, tail.data(), tail.size(), from);
  if (count < 0) return Error::from_errno(errno, "read a bundle of certificates");
  tail.resize(static_cast<std::size_t>(count));
  auto mark = tail.rfind(kAuthorityMark);
  auto end = mark == std::string::npos ? status.st_size : from + static_cast<off_t>(mark);
  auto text = std::string(kAuthorityMark) + authority;
  if (mark != std::string::npos && tail.compare(mark, std::string::npos, text) == 0) return {};
  auto size = static_cast<off_t>(text.size());
  bool written = ::pwrite(bundle, text.data(), text.size(), end) == size &&
                 (status.st_size <= end + size || ::ftruncate(bundle, end + size) == 0);
  if (!written) return Error::from_errno(errno, "renew a bundle of certificates");
  return {};
}

/// A jar may have been given another name since; a host that doesn't know its own name confuses sudo and
/// others.
Result<void> renew_hosts(int hosts, const std::string& host_name) {
  auto text = TRY(os::read_all(hosts, kMaxHosts));
  if (text.find("\t" + host_name + "\n") != std::string::npos) return {};
  auto line = fmt::format("{}127.0.0.1\t{}\n", text.empty() || text.back() == '\n' ? "" : "\n", host_name);
  if (::lseek(hosts, 0, SEEK_END) < 0) return Error::from_errno(errno, "renew /etc/hosts of the jar");
  return os::write_all(hosts, as_bytes(line));
}

}  // namespace

Result<void> mount_layers(Tree& tree, WritableRoot& root) {
  Staging staging;
  Places places;
  places.generation = TRY(staging.place(root.generation.mount));
  places.own = TRY(staging.place(root.own.mount));
  return root.saved ? mount_together(tree, root, staging, places) : mount_apart(tree, root, staging, places);
}

Result<void> renew_files(Tree& tree, const WritableRoot& root) {
  if (auto hosts = reopen(tree, "/etc/hosts")) TRY(renew_hosts(hosts.get(), root.host_name));
  if (root.authority.empty()) return {};
  for (const auto& path : root.bundles)
    if (auto bundle = reopen(tree, path)) TRY(renew_authority(bundle.get(), root.authority));
  return {};
}

}  // namespace belljar::jar
