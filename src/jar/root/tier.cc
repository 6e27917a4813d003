#include "jar/root/tier.h"

#include <cerrno>
#include <functional>

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "jar/root/discard.h"
#include "jar/root/layer_options.h"
#include "os/fork.h"
#include "os/mount.h"
#include "os/passing.h"

namespace belljar::jar {

namespace {

constexpr std::string_view kContent = "the host's content";

/// A host and a generation of it in small: one file whose content the host has, and one directory.
class Trial {
 public:
  Trial(std::string base, const Identity& identity) : base_(std::move(base)), identity_(identity) {}
  ~Trial() { discard_tree(base_); }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  [[nodiscard]] const std::string& base() const { return base_; }

  Result<void> prepare(RootTier tier) {
    discard_tree(base_);
    for (const auto* path :
         {"", "/host", "/host/lib", "/tree", "/tree/lib", "/data", "/upper", "/work", "/seen"})
      TRY(directory(base_ + path));
    TRY(file(base_ + "/host/lib/large", kContent));
    if (tier != RootTier::metadata) return {};
    auto stub = base_ + "/tree/lib/large";
    TRY(file(stub, ""));
    if (::truncate(stub.c_str(), static_cast<off_t>(kContent.size())) < 0)
      return Error::from_errno(errno, "stretch " + stub);
    auto opened = TRY(os::open_file(stub, O_WRONLY));
    return name_content(opened.get(), "/lib/large");
  }

  /// For the child, as root of its namespaces; `mount` shows the trial's directory where the child could not
  /// reach it by its path.
  [[nodiscard]] Result<void> mount_and_use(RootTier tier, os::Fd mount) const {
    if (::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) < 0)
      return Error::from_errno(errno, "make the mounts private");
    if (!mount) mount = TRY(os::copy_mount(AT_FDCWD, base_, os::Recursive::no));
    auto staging = TRY(os::open_file("/usr", O_PATH | O_DIRECTORY));
    TRY(os::attach_mount(mount.get(), staging.get()));
    if (::chdir("/usr") < 0) return Error::from_errno(errno, "enter the trial");
    auto options = layer_options(
        {.tree = "tree", .data = "data", .host = "host", .upper = "upper", .work = "work"}, tier);
    auto overlay = TRY(os::create_mount("overlay", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
    auto place = TRY(os::open_file("seen", O_PATH | O_DIRECTORY));
    TRY(os::attach_mount(overlay.get(), place.get()));
    return use(tier, "seen/lib/");
  }

 private:
  [[nodiscard]] Result<void> give(const std::string& path) const {
    if (identity_.privileged && ::lchown(path.c_str(), identity_.user, identity_.group) < 0)
      return Error::from_errno(errno, "give " + path + " to the jar");
    return {};
  }
  [[nodiscard]] Result<void> directory(const std::string& path) const {
    if (::mkdir(path.c_str(), 0755) < 0) return Error::from_errno(errno, "mkdir " + path);
    return give(path);
  }
  [[nodiscard]] Result<void> file(const std::string& path, std::string_view content) const {
    auto made = TRY(os::open_file(path, O_WRONLY | O_CREAT | O_EXCL, 0644));
    TRY(os::write_all(made.get(), as_bytes(content)));
    return give(path);
  }

  /// What dpkg does when it installs a package again: a link for safety, a new file by renaming.
  static Result<void> use(RootTier tier, const std::string& place) {
    auto large = place + "large";
    if (TRY(os::read_file(large, 64)) != kContent)
      return Error(ErrorCode::unsupported, "a layer shows another content than the host's");
    auto fresh = TRY(os::open_file(place + "fresh", O_WRONLY | O_CREAT | O_EXCL, 0644));
    if (tier == RootTier::metadata) {
      if (::link(large.c_str(), (large + ".backup").c_str()) < 0)
        return Error::from_errno(errno, "link a file of a layer");
      if (::chmod(large.c_str(), 0700) < 0) return Error::from_errno(errno, "change a file of a layer");
    }
    if (::rename((place + "fresh").c_str(), large.c_str()) < 0)
      return Error::from_errno(errno, "replace a file of a layer");
    return {};
  }

  std::string base_;
  const Identity& identity_;
};

[[noreturn]] void run_child(int socket, const Identity& identity, const std::function<Result<void>()>& body) {
  auto tried = [&]() -> Result<void> {
    (void)TRY(os::receive_message(socket));  // the id maps are written
    TRY(become_jar_root(identity));
    return body();
  }();
  auto text = tried ? std::string("works") : "fails: " + tried.error().to_string();
  (void)os::send_message(socket, as_bytes(text));
  ::_exit(0);
}

/// Runs the body as a jar's root would, in a user and a mount namespace of its own.
Result<void> as_jar_root(const Identity& identity, const std::function<Result<void>()>& body) {
  auto pair = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  auto child = TRY(os::clone_process(CLONE_NEWUSER | CLONE_NEWNS).context("creating a user namespace"));
  if (!child) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(pair.first.release());
    run_child(pair.second.get(), identity, body);
  }
  pair.second.reset();
  TRY(write_id_maps(child->number(), identity));
  TRY(os::send_message(pair.first.get(), as_bytes("go")));
  auto answer = TRY(os::receive_message(pair.first.get()));
  (void)child->wait();
  if (!answer) return Error(ErrorCode::unsupported, "the trial ended without an answer");
  auto text = std::string(as_text(answer->bytes));
  if (text != "works") return Error(ErrorCode::unsupported, text.substr(text.find(' ') + 1));
  return {};
}

/// Changes with everything that could change the answer.
std::string host_state(const Identity& identity) {
  utsname name{};
  ::uname(&name);
  auto boot = os::read_file("/proc/sys/kernel/random/boot_id", 64).value_or("");
  return fmt::format("1 {} {} {}", name.release, boot.substr(0, boot.find('\n')), identity.user);
}

/// Says nothing of what the host can do.
bool is_lack_of_room(const Error& error) {
  return error.system_errno() == ENOSPC || error.system_errno() == EDQUOT;
}

Result<TierFound> try_all(const std::string& roots_directory, const Identity& identity) {
  TierFound found;
  for (auto tier : {RootTier::metadata, RootTier::skeleton}) {
    auto tried = try_tier(tier, roots_directory, identity);
    if (!tried && is_lack_of_room(tried.error())) return std::move(tried).error();
    if (tried) {
      found.tier = tier;
      break;
    }
    if (!found.why.empty()) found.why += "; ";
    found.why += fmt::format("no {} layer: {}", name_of(tier), tried.error().to_string());
  }
  for (auto& c : found.why)
    if (c == '\n') c = ' ';
  return found;
}

/// What was found for this state of the host before.
std::optional<TierFound> remembered(const std::string& path, const std::string& state) {
  auto text = os::read_file(path, 8192);
  if (!text || text->compare(0, state.size() + 1, state + "\n") != 0) return std::nullopt;
  auto rest = text->substr(state.size() + 1);
  auto end = rest.find('\n');
  if (end == std::string::npos) return std::nullopt;
  for (auto tier : {RootTier::metadata, RootTier::skeleton, RootTier::read_only})
    if (rest.compare(0, end, name_of(tier)) == 0)
      return TierFound{tier, rest.substr(end + 1, rest.find('\n', end + 1) - end - 1)};
  return std::nullopt;
}

}  // namespace

const char* name_of(RootTier tier) {
  switch (tier) {
    case RootTier::metadata:
      return "metadata";
    case RootTier::skeleton:
      return "skeleton";
    case RootTier::read_only:
      break;
  }
  return "readonly";
}

Result<void> try_tier(RootTier tier, const std::string& roots_directory, const Identity& identity) {
  TRY(os::create_directories(roots_directory));
  Trial trial(fmt::format("{}/trial-{}", roots_directory, ::getpid()), identity);
  auto mask = ::umask(0);
  auto prepared = trial.prepare(tier);
  ::umask(mask);
  TRY(std::move(prepared));
  // Root's directories are closed to the id that the jar's root has; others can copy mounts only as root of
  // their own namespaces.
  os::Fd mount;
  if (identity.privileged) mount = TRY(os::copy_mount(AT_FDCWD, trial.base(), os::Recursive::no));
  return as_jar_root(identity, [&] { return trial.mount_and_use(tier, std::move(mount)); });
}

Result<TierFound> find_tier(const std::string& roots_directory, RootChoice choice, const Identity& identity) {
  if (choice == RootChoice::read_only) return TierFound{RootTier::read_only, "asked for"};
  TRY(os::create_directories(roots_directory));
  auto path = roots_directory + "/tier";
  auto state = host_state(identity);
  auto found = remembered(path, state);
  if (!found) {
    found = TRY(try_all(roots_directory, identity));
    (void)os::replace_file(path, fmt::format("{}\n{}\n{}\n", state, name_of(found->tier), found->why));
  }
  if (choice == RootChoice::automatic) return *found;
  auto wanted = choice == RootChoice::metadata ? RootTier::metadata : RootTier::skeleton;
  if (found->tier < wanted)
    return Error(ErrorCode::unsupported, fmt::format("this host can't have a root of the kind \"{}\": {}",
                                                     name_of(wanted), found->why))
        .with_hint("set root = \"auto\" under [jar] in config.toml");
  return TierFound{wanted, wanted == found->tier ? found->why : "asked for"};
}

}  // namespace belljar::jar
