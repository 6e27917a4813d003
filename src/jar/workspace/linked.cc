#include "jar/workspace/linked.h"

#include <memory>

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "jar/workspace/git_config.h"
#include "jar/workspace/refusal.h"
#include "os/fd.h"
#include "os/path.h"

namespace belljar::jar {

namespace {

constexpr std::size_t kMaxFile = 1U << 20;

std::string real_path(const std::string& path) {
  std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), ::free);
  return real ? real.get() : "";
}

std::string first_line(std::string text) {
  text.resize(std::min(text.find('\n'), text.size()));
  if (!text.empty() && text.back() == '\r') text.pop_back();
  return text;
}

/// A regular file's text, or none: a jar chose the path, and a FIFO would hold its reader.
std::string read_plain(const std::string& path) {
  auto file = os::open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat status {};
  if (!file || ::fstat(file->get(), &status) < 0 || !S_ISREG(status.st_mode)) return "";
  return os::read_all(file->get(), kMaxFile).value_or("");
}

std::string read_line(const std::string& path) { return first_line(read_plain(path)); }

/// `path`, from `base` when it is relative, as it really is.
std::string resolve(const std::string& base, const std::string& path) {
  if (path.empty()) return "";
  return real_path(path[0] == '/' ? path : base + "/" + path);
}

using os::parent_of;

/// Where the workspace's .git file leads; empty when it is no file, or a link.
std::string target_of(const std::string& workspace) {
  auto directory = os::open_file(workspace, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) return "";
  auto file = os::open_beneath(directory->get(), ".git", O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  if (!file) return "";
  auto text = first_line(os::read_all(file->get(), kMaxFile).value_or(""));
  constexpr std::string_view kStart = "gitdir: ";
  return text.starts_with(kStart) ? resolve(workspace, text.substr(kStart.size())) : "";
}

/// COMMON/worktrees/NAME, whose gitdir names the workspace's .git file.
std::string common_of_worktree(const std::string& git, const std::string& workspace) {
  auto common = resolve(git, read_line(git + "/commondir"));
  if (common.empty() || parent_of(parent_of(git)) != common || parent_of(git) != common + "/worktrees")
    return "";
  auto back = resolve(git, read_line(git + "/gitdir"));
  return back == workspace + "/.git" ? common : "";
}

/// SUPER/.git/modules/NAME, whose core.worktree names the workspace.
bool is_submodule_of(const std::string& git, const std::string& workspace) {
  if (git.find("/.git/modules/") == std::string::npos) return false;
  std::string named;
  for (const auto& setting : parse_git_config(read_plain(git + "/config")))
    if (setting.name == "core.worktree") named = setting.value;
  return resolve(git, named) == workspace;
}

/// What holds the git directory: it must be a place that could be a workspace itself.
std::string project_of(const std::string& git) {
  if (auto modules = git.find("/.git/modules/"); modules != std::string::npos) return git.substr(0, modules);
  return git.ends_with("/.git") ? parent_of(git) : git;
}

}  // namespace

std::string find_git_directory(const std::string& workspace, const std::vector<std::string>& homes,
                               const std::vector<std::string>& hidden, std::string& why) {
  auto git = target_of(workspace);
  if (git.empty() || os::is_within(git, workspace)) return "";
  auto common = common_of_worktree(git, workspace);
  if (common.empty() && is_submodule_of(git, workspace)) common = git;
  if (common.empty() || os::is_within(workspace, common)) {
    why = fmt::format(
        ".git leads to {}, which does not name this directory in return: git won't work in the jar", git);
    return "";
  }
  if (os::is_within(common, workspace)) return "";
  if (auto allowed = check_workspace(project_of(common), homes, hidden); !allowed) {
    why = fmt::format(".git leads to {}: {}; git won't work in the jar", git, allowed.error().message());
    return "";
  }
  return common;
}

}  // namespace belljar::jar
