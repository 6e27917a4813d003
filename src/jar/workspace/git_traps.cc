#include "jar/workspace/git_traps.h"

#include <algorithm>

#include <fcntl.h>
#include <fmt/core.h>

#include "jar/workspace/git_config.h"
#include "os/fd.h"

namespace belljar::jar {

namespace {

constexpr const char* kTooLong = "too long to be looked through";

/// As git reads files that hold a path: whole, without the line breaks at the end. What stands between
/// belongs to the path.
std::string path_in(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
    text.pop_back();
  return text;
}

bool has_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

bool is_sample(const std::string& name) {
  constexpr std::string_view kEnd = ".sample";
  return name.size() > kEnd.size() && name.compare(name.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
}

/// Whether ".." stands behind a name, which may be a link: where the path leads can't be told from its text
/// then.
bool turns_back(const std::string& path) {
  bool named = false;
  for (std::size_t at = 0; at < path.size();) {
    auto end = std::min(path.find('/', at), path.size());
    auto part = std::string_view(path).substr(at, end - at);
    if (part == ".." && named) return true;
    named |= !part.empty() && part != "." && part != "..";
    at = end + 1;
  }
  return false;
}

/// Where a .git file of a worktree or submodule of this very workspace leads: what is below .git/worktrees
/// and .git/modules is looked at for itself.
bool is_own_git_directory(const std::string& target, const std::string& workspace) {
  if (has_control(target) || turns_back(target)) return false;
  for (const auto* part : {"/.git/worktrees/", "/.git/modules/"}) {
    auto at = ("/" + target).find(part);
    if (at == std::string::npos) continue;
    if (target[0] == '/' ? target.rfind(workspace + "/", 0) == 0
                         : target.substr(0, at).find_first_not_of("./") == std::string::npos)
      return true;
  }
  return false;
}

}  // namespace

struct GitTraps::Directory {
  os::Fd fd;
  std::string path;
  bool all;  ///< everything in it counts as changed: the directory came to this place since the start
  bool is_worktree;
};

void GitTraps::git_directory(int parent, const std::string& name, const std::string& path) {
  // Not for reading: git itself only needs to enter it.
  auto opened = os::open_beneath(parent, name, O_PATH | O_DIRECTORY);
  if (!opened) return;
  struct stat status {};
  if (::fstat(opened->get(), &status) < 0) return;
  bool guarded = guarded_.count(path == "." ? "" : path) > 0;
  // Where the root is itself a guarded git directory, its worktrees' are found by their place.
  bool is_worktree =
      name.starts_with("worktrees/") || (guarded_.count("") > 0 && path.starts_with("worktrees/"));
  Directory git{std::move(opened).value(), path, !guarded && changed_.is_since(status), is_worktree};
  configuration(git, "config");
  configuration(git, "config.worktree");
  hooks(git);
  redirections(git);
  if (git.all || changed_(git.fd.get(), "info/attributes"))
    attributes(git.fd.get(), "info/attributes", path + "/info/attributes");
  modules(git, "modules", 0);
  worktrees(git);
}

void GitTraps::configuration(const Directory& git, const std::string& name) {
  auto status = Changed::look(git.fd.get(), name);
  if (!status || !(git.all || changed_.is_since(*status))) return;
  auto path = git.path + "/" + name;
  if (!S_ISREG(status->st_mode))
    return report(path, "git would read another file as this repository's configuration");
  for (const auto& setting : parse_git_config(reading_.read_some(git.fd.get(), name)))
    if (auto why = executes(setting); !why.empty()) report(path, why);
  if (is_longer(git.fd.get(), name)) report(path, kTooLong);
}

void GitTraps::hooks(const Directory& git) {
  auto status = Changed::look(git.fd.get(), "hooks");
  if (!status) return;
  bool all = git.all || (changed_.is_since(*status) && !S_ISDIR(status->st_mode));
  if (!S_ISDIR(status->st_mode)) {
    if (all) report(git.path + "/hooks", "git would take this repository's hooks from elsewhere");
    return;
  }
  if (!os::open_beneath(git.fd.get(), "hooks", O_RDONLY | O_DIRECTORY) && (all || changed_.is_since(*status)))
    report(git.path + "/hooks", "it can't be listed, but git would run what is in it");
  for (const auto& name : names(git, "hooks")) {
    if (is_sample(name)) continue;
    auto hook = Changed::look(git.fd.get(), "hooks/" + name);
    if (!hook || !(all || changed_.is_since(*hook))) continue;
    bool runs = S_ISLNK(hook->st_mode) || (S_ISREG(hook->st_mode) && (hook->st_mode & 0111) != 0);
    if (runs) report(git.path + "/hooks/" + name, "a git hook: git runs it");
  }
}

void GitTraps::redirections(const Directory& git) {
  auto look = [&](const std::string& name) -> std::string {
    auto status = Changed::look(git.fd.get(), name);
    if (!status || !(git.all || changed_.is_since(*status))) return {};
    // Through a link git would read another file, which we don't.
    if (!S_ISREG(status->st_mode)) report(git.path + "/" + name, "git would read what this leads to");
    if (is_longer(git.fd.get(), name)) report(git.path + "/" + name, kTooLong);
    return reading_.read_some(git.fd.get(), name);
  };
  // A worktree's leads to the repository that it belongs to, and only there.
  auto common = path_in(look("commondir"));
  bool own = common == "." || (git.is_worktree && common == "../..");
  if (!common.empty() && !own)
    report(git.path + "/commondir", "git would take configuration and hooks from " + common);
  if (auto text = path_in(look("objects/info/alternates")); !text.empty())
    report(git.path + "/objects/info/alternates", "git would read objects from " + text);
  for (const auto* todo :
       {"rebase-merge/git-rebase-todo", "rebase-apply/git-rebase-todo", "sequencer/todo"}) {
    auto text = "\n" + look(todo);
    if (text.find("\nexec ") != std::string::npos || text.find("\nx ") != std::string::npos)
      report(git.path + "/" + todo, "git rebase --continue would run commands of this list");
  }
}

/// A link in the place of a directory: what it leads to is not looked at here.
bool GitTraps::is_link(const Directory& git, const std::string& name) {
  auto status = Changed::look(git.fd.get(), name);
  if (!status || !S_ISLNK(status->st_mode)) return false;
  if (git.all || changed_.is_since(*status))
    report(git.path + "/" + name, "git would take repositories from where this link leads");
  return true;
}

std::vector<std::string> GitTraps::names(const Directory& git, const std::string& below) {
  auto names = names_in(git.fd.get(), below);
  if (names.size() == kMaxNames && (git.all || changed_(git.fd.get(), below)))
    report(git.path + "/" + below, "too many entries to be looked through");
  return names;
}

void GitTraps::modules(const Directory& git, const std::string& below, int depth) {
  constexpr int kMaxDepth = 6;
  if (is_link(git, below)) return;
  if (depth > kMaxDepth) {
    if (git.all || changed_(git.fd.get(), below))
      report(git.path + "/" + below, "too deep to be looked through");
    return;
  }
  for (const auto& name : names(git, below)) {
    auto path = below + "/" + name;
    if (is_link(git, path)) continue;
    auto status = Changed::look(git.fd.get(), path);
    if (!status || !S_ISDIR(status->st_mode)) continue;
    if (Changed::look(git.fd.get(), path + "/HEAD"))
      git_directory(git.fd.get(), path, git.path + "/" + path);
    else
      modules(git, path, depth + 1);
  }
}

void GitTraps::worktrees(const Directory& git) {
  if (git.is_worktree || is_link(git, "worktrees")) return;
  for (const auto& name : names(git, "worktrees")) {
    auto path = "worktrees/" + name;
    if (!is_link(git, path)) git_directory(git.fd.get(), path, git.path + "/" + path);
  }
}

void GitTraps::git_file(int parent, const std::string& name, const std::string& path) {
  if (!changed_(parent, name)) return;
  constexpr std::string_view kStart = "gitdir:";
  auto text = path_in(reading_.read_some(parent, name));
  auto target = text.substr(std::min(text.size(), kStart.size()));
  target.erase(0, target.find_first_not_of(' '));
  if (!target.empty() && !is_own_git_directory(target, workspace_))
    report(path, "git would use the repository at " + target);
}

void GitTraps::attributes(int parent, const std::string& name, const std::string& path) {
  auto text = reading_.read_some(parent, name);
  if (is_longer(parent, name)) return report(path, kTooLong);
  for (const auto* driver : {"filter=", "diff=", "merge="})
    if (text.find(driver) != std::string::npos)
      return report(
          path,
          fmt::format("'{}' makes git run the driver that your configuration has for that name", driver));
}

void GitTraps::submodules(int parent, const std::string& name, const std::string& path) {
  for (const auto& setting : parse_git_config(reading_.read_some(parent, name)))
    if (auto why = executes(setting); !why.empty()) report(path, why);
  if (is_longer(parent, name)) report(path, kTooLong);
}

}  // namespace belljar::jar
