#include "jar/workspace/git_traps.h"

#include <fcntl.h>
#include <fmt/core.h>

#include "jar/workspace/git_config.h"
#include "os/fd.h"

namespace belljar::jar {

namespace {

std::string first_line(const std::string& text) {
  auto end = text.find_first_of("\r\n");
  return text.substr(0, end);
}

bool is_sample(const std::string& name) {
  constexpr std::string_view kEnd = ".sample";
  return name.size() > kEnd.size() && name.compare(name.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
}

/// Where a .git file of a worktree or submodule of this very workspace leads.
bool is_own_git_directory(const std::string& target, const std::string& workspace) {
  if (target.find("..") != std::string::npos && target[0] == '/') return false;
  for (const auto* part : {"/.git/worktrees/", "/.git/modules/"}) {
    auto at = target.find(part);
    if (at == std::string::npos) continue;
    if (target[0] == '/' ? target.rfind(workspace + "/", 0) == 0
                         : target.substr(0, at).find_first_not_of("./") == std::string::npos)
      return true;
  }
  return target.rfind("../.git/", 0) == 0;
}

}  // namespace

struct GitTraps::Directory {
  os::Fd fd;
  std::string path;
  bool all;  ///< everything in it counts as changed: the directory came to this place since the start
};

void GitTraps::git_directory(int parent, const std::string& name, const std::string& path, bool guarded) {
  auto opened = os::open_beneath(parent, name, O_RDONLY | O_DIRECTORY);
  if (!opened) return;
  struct stat status {};
  if (::fstat(opened->get(), &status) < 0) return;
  Directory git{std::move(opened).value(), path, !guarded && changed_.is_since(status)};
  configuration(git, "config");
  configuration(git, "config.worktree");
  hooks(git);
  redirections(git);
  if (git.all || changed_(git.fd.get(), "info/attributes"))
    attributes(git.fd.get(), "info/attributes", path + "/info/attributes");
  modules(git, "modules", 0);
}

void GitTraps::configuration(const Directory& git, const std::string& name) {
  auto status = Changed::look(git.fd.get(), name);
  if (!status || !(git.all || changed_.is_since(*status))) return;
  auto path = git.path + "/" + name;
  if (!S_ISREG(status->st_mode))
    return report(path, "git would read another file as this repository's configuration");
  for (const auto& setting : parse_git_config(read_some(git.fd.get(), name)))
    if (auto why = executes(setting); !why.empty()) report(path, why);
}

void GitTraps::hooks(const Directory& git) {
  auto status = Changed::look(git.fd.get(), "hooks");
  if (!status) return;
  bool all = git.all || (changed_.is_since(*status) && !S_ISDIR(status->st_mode));
  if (!S_ISDIR(status->st_mode)) {
    if (all) report(git.path + "/hooks", "git would take this repository's hooks from elsewhere");
    return;
  }
  for (const auto& name : names_in(git.fd.get(), "hooks")) {
    if (is_sample(name)) continue;
    auto hook = Changed::look(git.fd.get(), "hooks/" + name);
    if (!hook || !(all || changed_.is_since(*hook))) continue;
    bool runs = S_ISLNK(hook->st_mode) || (S_ISREG(hook->st_mode) && (hook->st_mode & 0111) != 0);
    if (runs) report(git.path + "/hooks/" + name, "a git hook: git runs it");
  }
}

void GitTraps::redirections(const Directory& git) {
  auto look = [&](const std::string& name) -> std::string {
    return changed_(git.fd.get(), name) || git.all ? read_some(git.fd.get(), name, 4096) : std::string();
  };
  if (auto text = first_line(look("commondir")); !text.empty() && text != "." && text != "../..")
    report(git.path + "/commondir", "git would take configuration and hooks from " + text);
  if (auto text = first_line(look("objects/info/alternates")); !text.empty() && text[0] != '#')
    report(git.path + "/objects/info/alternates", "git would read objects from " + text);
  for (const auto* todo :
       {"rebase-merge/git-rebase-todo", "rebase-apply/git-rebase-todo", "sequencer/todo"}) {
    auto text = "\n" + look(todo);
    if (text.find("\nexec ") != std::string::npos || text.find("\nx ") != std::string::npos)
      report(git.path + "/" + todo, "git rebase --continue would run commands of this list");
  }
}

void GitTraps::modules(const Directory& git, const std::string& below, int depth) {
  constexpr int kMaxDepth = 6;
  if (depth > kMaxDepth) return;
  for (const auto& name : names_in(git.fd.get(), below, 512)) {
    auto path = below + "/" + name;
    auto status = Changed::look(git.fd.get(), path);
    if (!status || !S_ISDIR(status->st_mode)) continue;
    if (Changed::look(git.fd.get(), path + "/HEAD"))
      git_directory(git.fd.get(), path, git.path + "/" + path, true);
    else
      modules(git, path, depth + 1);
  }
}

void GitTraps::git_file(int parent, const std::string& name, const std::string& path) {
  if (!changed_(parent, name)) return;
  constexpr std::string_view kStart = "gitdir:";
  auto line = first_line(read_some(parent, name, 8192));
  auto target = line.substr(std::min(line.size(), kStart.size()));
  target.erase(0, target.find_first_not_of(' '));
  if (!target.empty() && !is_own_git_directory(target, workspace_))
    report(path, "git would use the repository at " + target);
}

void GitTraps::attributes(int parent, const std::string& name, const std::string& path) {
  auto text = read_some(parent, name);
  for (const auto* driver : {"filter=", "diff=", "merge="})
    if (text.find(driver) != std::string::npos)
      return report(
          path,
          fmt::format("'{}' makes git run the driver that your configuration has for that name", driver));
}

void GitTraps::submodules(int parent, const std::string& name, const std::string& path) {
  for (const auto& setting : parse_git_config(read_some(parent, name)))
    if (auto why = executes(setting); !why.empty()) report(path, why);
}

}  // namespace belljar::jar
