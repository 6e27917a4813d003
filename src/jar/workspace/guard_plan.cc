#include <algorithm>
#include <optional>
#include <set>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "jar/workspace/git_config.h"
#include "jar/workspace/git_layout.h"
#include "jar/workspace/guard.h"
#include "jar/workspace/walk.h"
#include "os/path.h"

namespace belljar::jar {

namespace {

constexpr std::size_t kMaxRepositories = 256;  // more are left to find_traps(), and said
constexpr std::size_t kMaxMasked = 1024;
constexpr std::size_t kMaxPrivileged = 1024;
constexpr std::size_t kMaxConfig = 1U << 20;
constexpr std::size_t kMostTold = 8;  // a jar can make any number

using os::parent_of;

/// `name` in the directory `path`; the workspace itself (a bare repository) has an empty path.
std::string join(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "/" + name;
}

/// What a file says, which may be long.
std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 256;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "…";
}

/// What is at a path below the workspace, through no symlink.
class Look {
 public:
  explicit Look(int workspace) : workspace_(workspace) {}

  [[nodiscard]] mode_t type(const std::string& path) const {
    auto file = os::open_beneath(workspace_, path, O_PATH | O_NOFOLLOW);
    struct stat status {};
    if (!file || ::fstat(file->get(), &status) < 0) return 0;
    return status.st_mode & S_IFMT;
  }
  [[nodiscard]] bool is_file(const std::string& path) const { return type(path) == S_IFREG; }
  [[nodiscard]] bool is_directory(const std::string& path) const { return type(path) == S_IFDIR; }

  /// The file, or those in the directory, that other names lead to as well.
  [[nodiscard]] std::vector<std::string> linked_files(const std::string& path) const {
    std::vector<std::string> found;
    auto opened = os::open_beneath(workspace_, path, O_PATH | O_NOFOLLOW);
    struct stat status {};
    if (!opened || ::fstat(opened->get(), &status) < 0) return found;
    if (S_ISREG(status.st_mode) && status.st_nlink > 1) found.push_back(path);
    if (!S_ISDIR(status.st_mode)) return found;
    for (const auto& name : names_in(path)) {
      if (::fstatat(opened->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISREG(status.st_mode) && status.st_nlink > 1)
        found.push_back(join(path, name));
    }
    return found;
  }

  [[nodiscard]] Result<std::string> read(const std::string& path) const {
    auto file = TRY(os::open_beneath(workspace_, path, O_RDONLY | O_NONBLOCK));
    return os::read_all(file.get(), kMaxConfig);
  }

  [[nodiscard]] std::vector<std::string> directories(const std::string& path) const {
    auto names = names_in(path);
    std::erase_if(names, [&](const std::string& name) { return !is_directory(join(path, name)); });
    return names;
  }

 private:
  [[nodiscard]] std::vector<std::string> names_in(const std::string& path) const {
    std::vector<std::string> names;
    auto opened = os::open_beneath(workspace_, path, O_RDONLY | O_DIRECTORY);
    if (!opened) return names;
    DIR* stream = ::fdopendir(opened->release());
    if (stream == nullptr) return names;
    while (auto* entry = ::readdir(stream))
      if (std::string_view name = entry->d_name; name != "." && name != "..") names.emplace_back(name);
    ::closedir(stream);
    return names;
  }

  int workspace_;
};

class Planner {
 public:
  Planner(GuardPlan& plan, Look look) : plan_(plan), look_(look) {}

  void git_directory(const std::string& path) {
    if (!done_.insert(path).second || ++repositories_ > kMaxRepositories) return;
    plan_.repositories.push_back(path);
    pin(path);
    auto config = look_.read(join(path, "config"));
    if (config)
      plan_.copies.push_back({join(path, "config"), config.value()});
    else
      read_only(join(path, "config"), false, "");
    read_only(join(path, "hooks"), true, "");
    read_only(join(path, "commondir"), false, ".\n");
    auto own = look_.read(join(path, "config.worktree"));
    auto settings = parse_git_config(config ? config.value() : "");
    bool per_worktree = std::any_of(settings.begin(), settings.end(), [](const GitSetting& setting) {
      return setting.name == "extensions.worktreeconfig";
    });
    for (auto& setting : parse_git_config(own ? own.value() : ""))
      settings.push_back(std::move(setting));
    if (per_worktree || look_.type(join(path, "config.worktree")) != 0)
      read_only(join(path, "config.worktree"), false, "");
    if (look_.is_directory(join(path, "info"))) {
      pin(join(path, "info"));
      read_only(join(path, "info/attributes"), false, "");
    }
    for (const auto& base : worktrees_of(path, settings))
      named_hooks(base, settings);
    named_files(path, settings);
    modules(join(path, "modules"), 0);
    worktrees(path);
  }

  /// Hooks that a configuration names, from where git runs them.
  void named_hooks(const std::string& base, const std::vector<GitSetting>& settings) {
    for (const auto& setting : settings)
      if (setting.name == "core.hookspath") named_place(setting, base, true);
  }

  /// A linked worktree or a submodule: the file leads elsewhere. `shown`: the git directory outside of the
  /// workspace that the jar is shown, too.
  void git_file(const std::string& path, const std::string& shown) {
    auto text = look_.read(path);
    auto place = text ? text.value().substr(0, text.value().find('\n')) : std::string("gitdir: ?");
    plan_.read_only.push_back(path);
    auto target = place.size() > 8 ? place.substr(8) : place;
    bool is_shown = path == ".git" && !shown.empty();
    if (!target.empty() && !is_shown && !inside_workspace(parent_of(path), target))
      warn(fmt::format("{} leads to {}, which isn't part of the workspace: git won't work there in the jar",
                       path, shortened(target)));
  }

  /// The first are told, of more how many there are: each is recorded and told by who starts the jar.
  void warn(std::string warning) {
    if (++warnings_ <= kMostTold) plan_.warnings.push_back(std::move(warning));
  }

  /// The repository's suggestion to belljar: an approved one must not change while it counts. One that isn't
  /// there needs no place held: what an agent makes of it counts for nothing (config/project.h).
  void project_file() {
    if (look_.is_file("belljar.toml")) plan_.read_only.emplace_back("belljar.toml");
  }

  void finish() {
    if (repositories_ > kMaxRepositories)
      plan_.missed.push_back(fmt::format("it has {} git directories, of which {} can be guarded",
                                         repositories_, kMaxRepositories));
    if (warnings_ > kMostTold)
      plan_.warnings.push_back(fmt::format("… and {} more places like these", warnings_ - kMostTold));
    for (const auto& path : plan_.read_only)
      refuse_other_names(path);
    for (const auto& copy : plan_.copies)
      refuse_other_names(copy.path);
    plan_.pinned.assign(pins_.begin(), pins_.end());  // a parent sorts before what it holds
  }

  std::vector<Placeholders::Wanted> wanted;

 private:
  /// A guard holds a name. Through a hard link that a jar made before this was a repository, the same file
  /// could be written past it.
  void refuse_other_names(const std::string& path) {
    for (const auto& file : look_.linked_files(path))
      if (plan_.missed.size() < kMostTold)
        plan_.missed.push_back(
            fmt::format("{} has another name (a hard link), by which it could be changed; make it a file of "
                        "its own (cp -p to a new file, mv that over it)",
                        file));
  }

  /// Where git runs the hooks of this directory: the worktree that core.worktree names (a submodule's does),
  /// else what holds a .git, else (a bare repository) itself; and every linked worktree.
  [[nodiscard]] std::vector<std::string> worktrees_of(const std::string& git,
                                                      const std::vector<GitSetting>& settings) const {
    std::vector<std::string> bases;
    bool bare = git != ".git" && !git.ends_with("/.git");
    std::optional<std::string> own = bare ? git : parent_of(git);
    if (git.empty() && plan_.workspace.ends_with("/.git")) own.reset();  // of a worktree that isn't shown
    for (const auto& setting : settings)
      if (setting.name == "core.worktree") own = inside_workspace(git, setting.value);
    if (own) bases.push_back(*own);
    for (const auto& name : look_.directories(join(git, "worktrees"))) {
      auto link = look_.read(join(git, "worktrees/" + name + "/gitdir"));
      if (!link) continue;
      auto place = inside_workspace("", link->substr(0, link->find('\n')));
      if (place && (*place == ".git" || place->ends_with("/.git"))) bases.push_back(parent_of(*place));
    }
    return bases;
  }

  /// Included files, named from the directory of the configuration.
  void named_files(const std::string& git, const std::vector<GitSetting>& settings) {
    for (const auto& setting : settings) {
      bool include = setting.name == "include.path" ||
                     (setting.name.starts_with("includeif.") && setting.name.ends_with(".path"));
      if (include) named_place(setting, git, false);
    }
  }

  void named_place(const GitSetting& setting, const std::string& base, bool directory) {
    auto place = inside_workspace(base, setting.value);
    if (!place || place->empty() || *place == base || !done_.insert("named " + *place).second) return;
    auto parent = parent_of(*place);
    if (!parent.empty() && !look_.is_directory(parent)) {
      warn(fmt::format("{} is {}, which isn't there yet and can't be guarded", shortened(setting.name),
                       shortened(*place)));
      return;
    }
    if (!parent.empty()) pin(parent);
    read_only(*place, directory, "");
  }

  /// The path relative to the workspace (empty: itself) of what `value` names from `base`; nothing when that
  /// is elsewhere.
  [[nodiscard]] std::optional<std::string> inside_workspace(const std::string& base,
                                                            const std::string& value) const {
    if (value.empty() || value[0] == '~' || value[0] == '%') return {};
    std::string whole = value[0] == '/' ? value : plan_.workspace + "/" + base + "/" + value;
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < whole.size();) {
      auto end = std::min(whole.find('/', at), whole.size());
      auto part = whole.substr(at, end - at);
      at = end + 1;
      if (part == ".." && !parts.empty()) parts.pop_back();
      if (part != ".." && part != "." && !part.empty()) parts.push_back(part);
    }
    std::string resolved;
    for (const auto& part : parts)
      resolved += "/" + part;
    if (resolved == plan_.workspace) return "";
    auto start = plan_.workspace + "/";
    if (!resolved.starts_with(start)) return {};
    return resolved.substr(start.size());
  }

  /// The directory and all that hold it.
  void pin(const std::string& path) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
      pins_.insert(path.substr(0, slash));
    if (!path.empty()) pins_.insert(path);  // the workspace is held by its own mount
  }

  void read_only(const std::string& path, bool directory, const std::string& content) {
    auto type = look_.type(path);
    if (type == 0) wanted.push_back({path, directory, content});
    // A link is held in its place like a file; what it leads to isn't guarded by that.
    if (type == S_IFLNK) warn(path + " is a symbolic link: what it leads to isn't guarded");
    plan_.read_only.push_back(path);
  }

  /// Submodules keep their git directories below modules/, under names that may have slashes.
  void modules(const std::string& path, int depth) {
    constexpr int kMaxDepth = 6;
    if (depth > kMaxDepth || !look_.is_directory(path)) return;
    for (const auto& name : look_.directories(path)) {
      auto below = path + "/" + name;
      if (look_.is_file(below + "/HEAD"))
        git_directory(below);
      else
        modules(below, depth + 1);
    }
  }

  void worktrees(const std::string& path) {
    for (const auto& name : look_.directories(join(path, "worktrees"))) {
      auto worktree = join(path, "worktrees/" + name);
      done_.insert(worktree);
      pin(worktree);
      for (const auto* file : {"/commondir", "/gitdir", "/config.worktree"})
        if (look_.is_file(worktree + file)) plan_.read_only.push_back(worktree + file);
      auto own = look_.read(worktree + "/config.worktree");
      if (!own) continue;
      auto settings = parse_git_config(own.value());
      named_files(worktree, settings);
      for (const auto& base : worktrees_of(path, {}))
        named_hooks(base, settings);
    }
  }

  GuardPlan& plan_;
  Look look_;
  std::size_t repositories_ = 0;
  std::size_t warnings_ = 0;
  std::set<std::string> done_;
  std::set<std::string> pins_;
};

/// A program that runs with its owner's rights. Root's own, in a tree that it builds or unpacks, must not
/// change under them: the kernel takes the bits away when such a file is written, but not when it is written
/// through a mapping.
bool is_privileged_program(const WalkEntry& entry) {
  struct stat status {};
  std::string name(entry.name);
  if (::fstatat(entry.directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
    return false;
  if ((status.st_mode & (S_ISUID | S_ISGID)) != 0) return true;
  auto path = fmt::format("/proc/self/fd/{}/{}", entry.directory, name);
  return (status.st_mode & 0111) != 0 && ::lgetxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

}  // namespace

Result<GuardPlan> plan_guard(const std::string& workspace, Placeholders& placeholders, bool given,
                             const std::string& git_directory) {
  GuardPlan plan;
  plan.workspace = workspace;
  auto directory = TRY(open_workspace(workspace, O_PATH));
  Planner planner(plan, Look(directory.get()));
  // Before what lies below: its worktrees' directories look like repositories of their own.
  if (::faccessat(directory.get(), "HEAD", F_OK, AT_SYMLINK_NOFOLLOW) == 0 && is_git_layout(directory.get()))
    planner.git_directory("");
  bool too_many = false;
  std::vector<std::string> privileged;
  auto visit = [&](const WalkEntry& entry) {
    if (entry.type == DT_SOCK || entry.type == DT_FIFO) {
      too_many |= plan.masked.size() >= kMaxMasked;
      if (!too_many) plan.masked.push_back(entry.path);
      return false;
    }
    if (given && entry.type == DT_REG && is_privileged_program(entry)) privileged.push_back(entry.path);
    if (entry.name == ".git") {
      if (entry.type == DT_DIR) planner.git_directory(entry.path);
      if (entry.type == DT_REG) planner.git_file(entry.path, git_directory);
      if (entry.type == DT_LNK)
        planner.warn(entry.path + " is a symbolic link: the jar can replace it by a repository of its own");
      return false;
    }
    if (entry.name == "HEAD" && entry.type != DT_DIR && is_git_layout(entry.directory))
      planner.git_directory(parent_of(entry.path));
    return true;
  };
  auto walked = TRY(walk(workspace, visit, {.other_file_systems = !given}));
  planner.project_file();
  if (!git_directory.empty())
    for (const auto* file : {"/config", "/config.worktree"})
      planner.named_hooks("", parse_git_config(os::read_file(git_directory + file, kMaxConfig).value_or("")));
  planner.finish();
  if (!walked.complete()) plan.missed.push_back(walked.missed);
  if (too_many) return Error(ErrorCode::limit_exceeded, "more sockets in the workspace than can be masked");
  if (privileged.size() > kMaxPrivileged)
    return Error(ErrorCode::limit_exceeded, "more set-id programs in the workspace than can be guarded")
        .with_hint("run belljar as the ordinary user whose project it is");
  plan.read_only.insert(plan.read_only.end(), privileged.begin(), privileged.end());
  TRY(placeholders.make(planner.wanted));
  return plan;
}

}  // namespace belljar::jar
