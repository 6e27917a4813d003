#include "jar/root/generation.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "jar/root/discard.h"
#include "jar/root/etc_copy.h"
#include "jar/root/files.h"
#include "jar/root/generation_directory.h"
#include "jar/root/host_stamp.h"
#include "jar/root/save_contents.h"
#include "jar/root/system_tree.h"
#include "jar/root/var_tree.h"

namespace belljar::jar {

namespace {

/// Raised whenever what a generation holds changes.
constexpr int kVersion = 3;
constexpr int kAttempts = 3;

std::string name_now(const GenerationRequest& request, RootTier tier) {
  std::vector<std::string> directories;
  for (const auto& one : request.directories)
    directories.push_back(one.host);
  auto salt = fmt::format("{} {} {}", kVersion, request.identity.user, request.ca_subject_hash);
  return fmt::format("{}-{}", name_of(tier), host_stamp(directories, salt));
}

std::string name_now(const GenerationRequest& request) { return name_now(request, request.tier); }

/// Nothing when it isn't there or must not be used.
std::optional<Generation> open_generation(const GenerationRequest& request, const std::string& name) {
  auto kind = std::string(name_of(request.tier)) + "-";
  if (!name.starts_with(kind) || name.find('/') != std::string::npos) return std::nullopt;
  return open_generation_at(request.roots_directory + "/" + name);
}

/// Whether an earlier generation can still be used in full.
bool is_whole(const GenerationRequest& request, const Generation& generation) {
  if (generation.saved) return true;
  return std::all_of(request.directories.begin(), request.directories.end(), [&](const SystemDirectory& one) {
    auto files = read_list(generation.directory + "/lists/" + one.name);
    return files && host_has_rest({one.host, generation.directory + "/data/" + one.name}, *files);
  });
}

/// Says how far it is, once it takes longer than a moment.
class Progress {
 public:
  explicit Progress(const std::function<void(const std::string&)>& tell) : tell_(tell) {}

  void step() {
    if (++count_ % 1024 != 0 || !tell_) return;
    auto now = std::chrono::steady_clock::now();
    if (now - told_ < (told_ == begin_ ? std::chrono::milliseconds(500) : std::chrono::milliseconds(3000)))
      return;
    if (told_ == begin_)
      tell_("making the jars' system from this host's (once, and again when the host's packages change) …");
    else
      tell_(fmt::format("… {} files and directories", count_));
    told_ = now;
  }
  void finish() {
    if (!tell_ || told_ == begin_) return;
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
    tell_(fmt::format("… done: {} files and directories in {:.1f} s", count_, took.count()));
  }

 private:
  const std::function<void(const std::string&)>& tell_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point told_ = begin_;
  std::size_t count_ = 0;
};

/// The generation whose files a new one can share; with its lock held.
std::optional<Generation> latest_of_kind(const GenerationRequest& request) {
  std::optional<Generation> latest;
  time_t time = 0;
  for (const auto& name : names_in(request.roots_directory)) {
    struct stat status {};
    auto generation = open_generation(request, name);
    if (!generation || ::fstat(generation->lock.get(), &status) < 0 || status.st_mtime < time) continue;
    time = status.st_mtime;
    latest = std::move(generation);
  }
  return latest;
}

class Builder {
 public:
  Builder(const GenerationRequest& request, std::string path)
      : request_(request),
        path_(std::move(path)),
        previous_(latest_of_kind(request)),
        progress_(request.tell) {}

  Result<void> build() {
    for (const auto* below : {"", "/tree", "/data", "/lists"})
      TRY(directory(path_ + below));
    for (const auto& one : request_.directories)
      TRY(system(one));
    TRY(make_var(request_.var, path_ + "/tree/var", request_.identity));
    TRY(copy_etc(request_.etc, path_ + "/tree/etc", request_.identity));
    TRY(add_places(path_ + "/tree/etc", request_.ca_subject_hash, request_.identity));
    TRY(add_for_packages(path_ + "/tree/etc", request_.identity));
    TRY(mark(path_ + "/made", this_boot()));
    progress_.finish();
    return {};
  }

 private:
  static Result<void> directory(const std::string& path) {
    // The jar's root, who may be nobody on the host, goes through it.
    if (::mkdir(path.c_str(), 0755) < 0 || ::chmod(path.c_str(), 0755) < 0)
      return Error::from_errno(errno, "mkdir " + path);
    return {};
  }

  Result<void> system(const SystemDirectory& one) {
    TreeWork work{.tier = request_.tier, .identity = request_.identity, .made = [this] { progress_.step(); }};
    TreeSource source{.host = one.host, .previous = "", .tree = path_ + "/tree/" + one.name};
    if (previous_) source.previous = previous_->directory + "/tree/" + one.name;
    auto large = TRY(make_tree(source, work));
    TRY(write_list(path_ + "/lists/" + one.name, large));
    auto data = path_ + "/data/" + one.name;
    TRY(directory(data));
    if (previous_) link_contents(previous_->directory + "/data/" + one.name, data, large, request_.identity);
    return {};
  }

  const GenerationRequest& request_;
  std::string path_;
  std::optional<Generation> previous_;
  Progress progress_;
};

/// One at a time makes a generation; the others wait for it.
Result<os::Fd> lock_building(const GenerationRequest& request) {
  auto lock = TRY(os::open_file(request.roots_directory + "/building", O_RDWR | O_CREAT | O_NOFOLLOW));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (request.tell) request.tell("another start is making the jars' system from this host's …");
  while (::flock(lock.get(), LOCK_EX) < 0)
    if (errno != EINTR) return Error::from_errno(errno, "wait for another start");
  return lock;
}

/// One that fills the disk would take the room that the jars' files and the record need.
Result<void> check_room(const GenerationRequest& request) {
  constexpr std::uint64_t kRoom = 2ULL << 30;
  struct statvfs space {};
  if (::statvfs(request.roots_directory.c_str(), &space) < 0)
    return Error::from_errno(errno, "look for room in " + request.roots_directory);
  auto free = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
  if (free >= kRoom) return {};
  return Error(
             ErrorCode::limit_exceeded,
             fmt::format("a copy of the host's system takes about 1 GB, and of 2 GB that must be free in {} "
                         "there are {} MB",
                         request.roots_directory, free / 1'000'000))
      .with_hint(fmt::format("df -h {}   (make room, or set root = \"readonly\" under [jar] in config.toml)",
                             request.roots_directory));
}

/// Makes the generation of the host as it is now.
Result<Generation> make_generation(const GenerationRequest& request) {
  auto building = TRY(lock_building(request));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto name = name_now(request);
    if (auto there = open_generation(request, name)) return std::move(*there);
    TRY(check_room(request));
    auto unfinished = fmt::format("new-{}-{}", name, ::getpid());
    TRY(put_aside(request.roots_directory, unfinished));  // of a start that was cut off under this number
    auto temporary = request.roots_directory + "/" + unfinished;
    auto built = Builder(request, temporary).build();
    bool same = built && name_now(request) == name;  // else packages were just being changed
    if (same) {
      TRY(put_aside(request.roots_directory, name));  // what may not be used
      if (::rename(temporary.c_str(), (request.roots_directory + "/" + name).c_str()) < 0)
        built = Error::from_errno(errno, "rename " + temporary);
    }
    if (!same || !built) discard_tree(temporary);
    TRY(std::move(built).context("making the jars' system from this host's"));
    if (!same) ::sleep(1);
  }
  if (auto there = open_generation(request, name_now(request))) return std::move(*there);
  return Error(ErrorCode::unsupported, "this host's packages are being changed")
      .with_hint("try again after that");
}

/// The names of generations that jars stay with.
std::vector<std::string> names_in_use(const GenerationRequest& request) {
  std::vector<std::string> used;
  auto parent = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
  // Where the jars of the user are, and this jar's siblings, should it live elsewhere (doctor's does).
  for (const auto& jars : {parent(request.roots_directory) + "/jars", parent(request.state_directory)})
    for (const auto& jar : names_in(jars))
      for (auto& name : recorded_generations(jars + "/" + jar))
        used.push_back(std::move(name));
  return used;
}

bool is_abandoned_trial(const std::string& path, const std::string& name) {
  constexpr time_t kAbandoned = 3600;
  struct stat status {};
  return name.starts_with("trial-") && ::stat(path.c_str(), &status) == 0 &&
         ::time(nullptr) - status.st_mtime > kAbandoned;
}

/// Removes what no jar uses, and what interrupted starts left.
void sweep(const GenerationRequest& request) {
  auto building = os::open_file(request.roots_directory + "/building", O_RDWR | O_CREAT | O_NOFOLLOW);
  if (!building || ::flock(building->get(), LOCK_EX | LOCK_NB) < 0) return;
  auto used = names_in_use(request);
  for (auto tier : {RootTier::skeleton, RootTier::metadata})
    used.push_back(name_now(request, tier));
  for (const auto& name : names_in(request.roots_directory)) {
    auto path = request.roots_directory + "/" + name;
    if (name.starts_with("new-") || is_abandoned_trial(path, name))
      (void)put_aside(request.roots_directory, name);
    bool generation =
        name.starts_with("metadata-") || name.starts_with("skeleton-") || name.starts_with(kImageGeneration);
    if (!generation || std::find(used.begin(), used.end(), name) != used.end()) continue;
    os::Fd lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) (void)put_aside(request.roots_directory, name);
  }
  ::flock(building->get(), LOCK_UN);
  for (const auto& name : names_in(request.roots_directory))
    if (name.starts_with("old-")) discard_tree(request.roots_directory + "/" + name);
}

}  // namespace

std::string own_directory(const std::string& state_directory) { return state_directory + "/root"; }

bool has_changes(const GenerationRequest& request) {
  auto own = own_directory(request.state_directory);
  for (const auto& directory : request.directories)
    if (!names_in(own + "/upper/" + directory.name).empty()) return true;
  return exists(own + "/upper/var/lib");
}

Result<Generation> take_generation(const GenerationRequest& request) {
  auto name = name_now(request);
  auto before = recorded_generation(request.state_directory, GenerationOf::host);
  if (!before.empty() && before != name && has_changes(request)) {
    auto earlier = open_generation(request, before);
    if (earlier && is_whole(request, *earlier)) return std::move(*earlier);
    if (request.tell)
      request.tell(
          "the host's system was changed before the one that this jar was made with was saved: the jar goes "
          "on "
          "with the present one; what it installed stays, and may need to be installed again");
  }
  auto present = open_generation(request, name);
  auto generation = present ? std::move(*present) : TRY(make_generation(request));
  auto taken = generation.directory.substr(generation.directory.rfind('/') + 1);
  TRY(record_generation(request.state_directory, taken));
  return generation;
}

Result<void> tend_generation(const GenerationRequest& request, const Generation& generation) {
  const auto& path = generation.directory;
  if (!generation.settled) {
    if (::syncfs(generation.lock.get()) < 0) return Error::from_errno(errno, "settle " + path);
    TRY(mark(path + "/settled"));
  }
  sweep(request);
  if (generation.saved || exists(request.roots_directory + "/never-save")) return {};
  for (const auto& one : request.directories) {
    auto files = TRY(read_list(path + "/lists/" + one.name));
    auto saved = save_contents({one.host, path + "/data/" + one.name}, files, request.identity);
    if (!saved) {
      (void)mark(path + "/unsaved", saved.error().to_string());
      return std::move(saved).error();
    }
    if (*saved == SavedState::changed) return mark(path + "/broken");
  }
  for (const auto& one : request.directories) {
    auto files = TRY(read_list(path + "/lists/" + one.name));
    TRY(complete_tree(path + "/data/" + one.name, path + "/tree/" + one.name, files));
  }
  ::unlink((path + "/unsaved").c_str());
  if (::syncfs(generation.lock.get()) < 0) return Error::from_errno(errno, "settle " + path);
  return mark(path + "/saved");
}

}  // namespace belljar::jar
