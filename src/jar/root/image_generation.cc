#include "jar/root/image_generation.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jar/root/files.h"
#include "jar/root/generation_directory.h"

namespace belljar::jar {

namespace {

/// Raised whenever what a generation of an image holds changes.
constexpr int kVersion = 1;
constexpr std::size_t kMaxPin = 2048;
constexpr std::size_t kMaxAccounts = 1U << 20;
constexpr std::size_t kMaxTop = 64;
/// Every jar has its own.
constexpr std::string_view kOfTheJar[] = {"dev",  "proc", "sys",  "run", "tmp",
                                          "home", "root", "boot", "mnt", "media"};

std::string name_of_generation(const ImageGenerationRequest& request, const std::string& digest) {
  return fmt::format("{}{}-{}-{}-{}", kImageGeneration, kVersion, request.identity.user,
                     request.ca_subject_hash, digest.substr(digest.find(':') + 1));
}

std::string pin_path(const std::string& state_directory) { return state_directory + "/image"; }
std::string text_of(const ImagePin& pin) { return pin.reference + "\n" + pin.digest + "\n"; }

bool is_digest(std::string_view text) {
  constexpr std::string_view kStart = "sha256:";
  return text.size() == kStart.size() + 64 && text.starts_with(kStart) &&
         text.substr(kStart.size()).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The directory of this name, made where it is missing; through no symlink.
Result<os::Fd> top_directory(int tree, const char* name, const Identity& identity, mode_t mode = 0755) {
  if (::mkdirat(tree, name, mode) == 0) {
    // Whatever the caller's umask is.
    if (::fchmodat(tree, name, mode, 0) < 0) return Error::from_errno(errno, fmt::format("chmod /{}", name));
    if (identity.privileged && ::fchownat(tree, name, identity.user, identity.group, AT_SYMLINK_NOFOLLOW) < 0)
      return Error::from_errno(errno, fmt::format("give /{} to the jars", name));
  } else if (errno != EEXIST) {
    return Error::from_errno(errno, fmt::format("make /{}", name));
  }
  auto opened = os::open_beneath(tree, name, O_RDONLY | O_DIRECTORY);
  if (!opened)
    return Error(ErrorCode::malformed, fmt::format("its /{} is no directory, and every jar needs one", name));
  return opened;
}

/// A copy of the image's file of accounts, which a jar's own is made from; empty where it has none.
Result<void> keep_accounts(int etc, const std::string& name, const std::string& directory) {
  std::string text;
  struct stat status {};
  auto file = os::open_beneath(etc, name, O_RDONLY | O_NONBLOCK);
  if (file && ::fstat(file->get(), &status) == 0 && S_ISREG(status.st_mode))
    text = os::read_all(file->get(), kMaxAccounts).value_or("");
  return mark(directory + "/" + name, text);
}

Result<void> give_top(int tree, const Identity& identity) {
  if (identity.privileged && ::fchown(tree, identity.user, identity.group) < 0)
    return Error::from_errno(errno, "give an image's tree to the jars");
  if (::fchmod(tree, 0755) < 0) return Error::from_errno(errno, "chmod an image's tree");
  return {};
}

Result<void> complete(const ImageGenerationRequest& request, const std::string& directory, int tree) {
  const auto& identity = request.identity;
  auto etc = TRY(top_directory(tree, "etc", identity));
  auto var = TRY(top_directory(tree, "var", identity));
  for (const auto* name : {"passwd", "group"})
    TRY(keep_accounts(etc.get(), name, directory));
  // Where these are links into another layout they stay.
  (void)top_directory(var.get(), "tmp", identity, 01777);
  if (auto ssl = top_directory(etc.get(), "ssl", identity))
    (void)top_directory(ssl->get(), "certs", identity);
  TRY(add_places(directory + "/tree/etc", request.ca_subject_hash, identity));
  return add_for_packages(directory + "/tree/etc", identity);
}

bool is_plain_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || name[0] == '.' || name[0] == '-') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == '+';
  });
}

bool is_of_the_jar(std::string_view name) {
  return std::find(std::begin(kOfTheJar), std::end(kOfTheJar), name) != std::end(kOfTheJar);
}

/// As the jar would find it: absolute links lead within the tree.
bool is_executable_in(int tree, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  os::Fd found(static_cast<int>(::syscall(SYS_openat2, tree, path.c_str(), &how, sizeof how)));
  struct stat status {};
  return found && ::fstat(found.get(), &status) == 0 && S_ISREG(status.st_mode) &&
         (status.st_mode & 0111) != 0;
}

}  // namespace

std::optional<ImagePin> pinned_image(const std::string& state_directory) {
  auto text = os::read_file(pin_path(state_directory), kMaxPin).value_or("");
  auto line = text.find('\n');
  auto end = line == std::string::npos ? line : text.find('\n', line + 1);
  if (end == std::string::npos) return std::nullopt;
  ImagePin pin{text.substr(0, line), text.substr(line + 1, end - line - 1)};
  if (!is_digest(pin.digest)) return std::nullopt;
  return pin;
}

Result<void> pin_image(const std::string& state_directory, const ImagePin& pin) {
  if (pinned_image(state_directory) == pin) return {};
  return os::write_file_atomically(pin_path(state_directory), text_of(pin));
}

std::optional<Generation> find_image_generation(const ImageGenerationRequest& request,
                                                const std::string& digest) {
  return open_generation_at(request.roots_directory + "/" + name_of_generation(request, digest));
}

Result<Generation> adopt_image(const ImageGenerationRequest& request, const std::string& directory,
                               const ImagePin& pin, CleanedTree& cleaned) {
  if (!is_digest(pin.digest)) return Error(ErrorCode::malformed, "no digest of an image: " + pin.digest);
  auto top = TRY(os::open_file(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  auto tree = TRY(os::open_beneath(top.get(), "tree", O_RDONLY | O_DIRECTORY));
  cleaned = TRY(clean_tree(tree.get(), request.identity.user));
  TRY(give_top(tree.get(), request.identity));
  TRY(complete(request, directory, tree.get()));
  TRY(mark(directory + "/image", text_of(pin)));
  TRY(mark(directory + "/saved"));
  TRY(mark(directory + "/made", this_boot()));
  if (::fchmod(top.get(), 0755) < 0) return Error::from_errno(errno, "chmod " + directory);
  auto name = name_of_generation(request, pin.digest);
  if (auto there = find_image_generation(request, pin.digest)) return std::move(*there);
  TRY(put_aside(request.roots_directory, name));  // what may not be used
  auto path = request.roots_directory + "/" + name;
  if (::rename(directory.c_str(), path.c_str()) < 0) return Error::from_errno(errno, "rename " + directory);
  if (auto made = open_generation_at(path)) return std::move(*made);
  return Error(ErrorCode::internal, "the system that was just made from an image can't be opened: " + path);
}

std::string own_directory_of_image(const std::string& state_directory, const Generation& generation) {
  // The digest alone: an upper layer outlives what belljar changes in how generations are made.
  auto digest = generation.directory.substr(generation.directory.rfind('-') + 1);
  return own_directory(state_directory) + "/image-" + digest;
}

Result<ImageSystem> read_image_system(const Generation& generation) {
  auto path = generation.directory + "/tree";
  auto tree = TRY(os::open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  auto names = names_in(path);
  std::sort(names.begin(), names.end());
  ImageSystem system;
  for (const auto& name : names) {
    struct stat status {};
    if (!is_plain_name(name) || is_of_the_jar(name) ||
        ::fstatat(tree.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) < 0)
      continue;
    if (system.directories.size() + system.links.size() == kMaxTop)
      return Error(ErrorCode::limit_exceeded, "the image has more than 64 top directories");
    if (S_ISDIR(status.st_mode)) system.directories.push_back(name);
    char target[4096];
    if (!S_ISLNK(status.st_mode) || name == "srv") continue;
    auto length = ::readlinkat(tree.get(), name.c_str(), target, sizeof target);
    if (length > 0 && static_cast<std::size_t>(length) < sizeof target)
      system.links.push_back({name, std::string(target, static_cast<std::size_t>(length))});
  }
  return system;
}

bool has_program(const std::string& generation_directory, std::string_view program) {
  auto tree = os::open_file(generation_directory + "/tree", O_PATH | O_DIRECTORY | O_NOFOLLOW);
  if (!tree || program.empty()) return false;
  if (program[0] == '/') return is_executable_in(tree->get(), std::string(program));
  for (const auto* directory :
       {"/usr/local/sbin/", "/usr/local/bin/", "/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"})
    if (is_executable_in(tree->get(), directory + std::string(program))) return true;
  return false;
}

}  // namespace belljar::jar
