#include "image/prepare.h"

#include <cerrno>
#include <chrono>
#include <optional>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/program.h"
#include "image/fetch.h"
#include "image/room.h"
#include "image/unpack.h"
#include "jar/identity.h"
#include "jar/root/generation_directory.h"
#include "jar/root/image_generation.h"
#include "jar/root/tier.h"
#include "keeper/remove_tree.h"

namespace belljar::image {

namespace {

/// Directories in which an image is fetched and unpacked, beside the generations.
constexpr std::string_view kUnfinished = "unpacking-";

struct Tools {
  std::string skopeo;
  std::string umoci;
};

Result<Tools> find_tools(const ImageRequest& request, const std::string& workspace) {
  auto find = [&](const char* name) {
    auto program = agents::find_program(name, request.search_path, workspace);
    return program ? program->path : std::string();
  };
  Tools tools{find("skopeo"), find("umoci")};
  if (!tools.skopeo.empty() && !tools.umoci.empty()) return tools;
  const char* missing = !tools.skopeo.empty()  ? "umoci, which unpacks it, is"
                        : !tools.umoci.empty() ? "skopeo, which fetches it, is"
                                               : "skopeo and umoci, which fetch and unpack it, are";
  return Error(ErrorCode::not_found,
               fmt::format("root = \"image\" needs an image, and {} not on this host", missing))
      .with_hint(request.how_to_install);
}

/// A directory that goes with its owner.
class Unfinished {
 public:
  static Result<Unfinished> make(const std::string& roots) {
    auto path = fmt::format("{}/{}{}", roots, kUnfinished, ::getpid());
    if (::mkdir(path.c_str(), 0700) < 0) return Error::from_errno(errno, "mkdir " + path);
    return Unfinished(path);
  }
  Unfinished(Unfinished&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  Unfinished& operator=(Unfinished&&) = delete;
  ~Unfinished() {
    if (!path_.empty()) (void)keeper::remove_tree(path_);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit Unfinished(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// What others that were cut off left. Their owners are gone, as the caller holds the lock; a jar that
/// unpacks may outlive its owner for a moment, and holds a lock of its own.
void sweep(const std::string& roots) {
  for (const auto& name : jar::names_in(roots)) {
    if (!name.starts_with(kUnfinished)) continue;
    auto path = roots + "/" + name;
    os::Fd jar(::open((path + "/jar").c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (jar && ::flock(jar.get(), LOCK_EX | LOCK_NB) < 0) continue;
    (void)keeper::remove_tree(path);
  }
}

class Preparation {
 public:
  Preparation(const jar::JarSpec& spec, const ImageRequest& request) : spec_(spec), request_(request) {}

  Result<PreparedImage> prepare() {
    TRY(os::create_directories(spec_.roots_directory));
    generations_ = {spec_.roots_directory, TRY(jar::choose_identity()), spec_.ca_subject_hash};
    auto tier = TRY(jar::find_tier(spec_.roots_directory, jar::RootChoice::automatic, generations_.identity));
    if (tier.tier == jar::RootTier::read_only)
      return Error(ErrorCode::unsupported,
                   "this host can't make an image's system writable for a jar: " + tier.why)
          .with_hint("belljar doctor");
    auto pin = jar::pinned_image(spec_.state_directory);
    bool same = pin && pin->reference == request_.reference.text;
    digest_ = same ? pin->digest : request_.reference.digest;
    auto generation = find();
    if (!generation) generation = TRY(make());
    if (pin && !same && pin->digest != digest_)
      tell(fmt::format(
          "the jar had the image {} until now; what was changed in that one's system is kept, and "
          "back with it",
          pin->reference));
    TRY(jar::pin_image(spec_.state_directory, {request_.reference.text, digest_}));
    const auto& path = generation->directory;
    TRY(jar::record_generation(spec_.state_directory, path.substr(path.rfind('/') + 1)));
    return PreparedImage{digest_, path};
  }

 private:
  void tell(const std::string& line) const {
    if (spec_.tell) spec_.tell(line);
  }

  std::optional<jar::Generation> find() {
    if (digest_.empty()) return std::nullopt;
    return jar::find_image_generation(generations_, digest_);
  }

  Result<jar::Generation> make() {
    auto tools = TRY(find_tools(request_, spec_.workspace));
    auto room = TRY(RoomWatch::begin(spec_.roots_directory));
    Skopeo skopeo{tools.skopeo, spec_.tell};
    if (digest_.empty() && request_.reference.of_registry) {
      digest_ = TRY(resolve_digest(skopeo, request_.reference.source, room));
      if (auto there = find()) return std::move(*there);
    }
    auto lock = TRY(lock_making());
    if (auto there = find()) return std::move(*there);
    sweep(spec_.roots_directory);
    auto unfinished = TRY(Unfinished::make(spec_.roots_directory));
    TRY(os::create_directories(unfinished.path() + "/system"));
    auto layout = unfinished.path() + "/layout";
    TRY(fetch(skopeo, unfinished.path(), layout, room));
    if (auto there = find()) return std::move(*there);
    return unpack(tools.umoci, unfinished.path(), layout, room);
  }

  /// One at a time; the others wait for it.
  [[nodiscard]] Result<os::Fd> lock_making() const {
    auto path = spec_.roots_directory + "/making-of-image";
    auto lock = TRY(os::open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW));
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    tell("another start is making a system of an image …");
    while (::flock(lock.get(), LOCK_EX) < 0)
      if (errno != EINTR) return Error::from_errno(errno, "wait for another start");
    return lock;
  }

  Result<void> fetch(const Skopeo& skopeo, const std::string& directory, const std::string& layout,
                     const RoomWatch& room) {
    const auto& reference = request_.reference;
    auto source = reference.of_registry ? config::at_digest(reference, digest_) : reference.source;
    tell(fmt::format("fetching the image {} with skopeo …", source));
    auto copied = TRY(copy_image(skopeo, source, directory, layout, room));
    if (digest_.empty()) digest_ = copied;
    // A registry's digest may be that of a list, of which this is the one for this machine.
    if (!reference.of_registry && copied != digest_)
      return Error(ErrorCode::not_found,
                   fmt::format("{} leads to another image by now: {} instead of {}", source, copied, digest_))
          .with_hint("bring that image back, or start a jar of another name: belljar … --jar NAME");
    return {};
  }

  Result<jar::Generation> unpack(const std::string& umoci, const std::string& directory,
                                 const std::string& layout, const RoomWatch& room) {
    tell("unpacking it with umoci, in a jar without a network …");
    auto begin = std::chrono::steady_clock::now();
    auto doing = fmt::format("making the jar's system of the image {}", request_.reference.text);
    TRY(unpack_image({.umoci = umoci,
                      .init_program = request_.libexec_directory + "/belljar-init",
                      .cache_directory = spec_.cache_directory,
                      .layout = layout,
                      .directory = directory + "/jar",
                      .tree = directory + "/system/tree",
                      .tell = spec_.tell},
                     room)
            .context(doing));
    jar::CleanedTree cleaned;
    auto generation =
        TRY(jar::adopt_image(generations_, directory + "/system", {request_.reference.text, digest_}, cleaned)
                .context(doing));
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    tell(fmt::format("… done: {} files and directories, {} MB, in {:.1f} s ({})", cleaned.entries,
                     cleaned.bytes / 1'000'000, took.count(), digest_));
    return generation;
  }

  const jar::JarSpec& spec_;
  const ImageRequest& request_;
  jar::ImageGenerationRequest generations_;
  std::string digest_;
};

}  // namespace

Result<PreparedImage> prepare_image(const jar::JarSpec& spec, const ImageRequest& request) {
  return Preparation(spec, request).prepare();
}

}  // namespace belljar::image
