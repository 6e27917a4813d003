#include "jar/workspace/traps.h"

#include <algorithm>
#include <climits>
#include <set>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/workspace/autoruns.h"
#include "jar/workspace/git_layout.h"
#include "jar/workspace/git_traps.h"
#include "jar/workspace/walk.h"
#include "os/path.h"

namespace belljar::jar {

namespace {

using os::parent_of;

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < path.size();) {
    auto end = std::min(path.find('/', at), path.size());
    auto part = path.substr(at, end - at);
    at = end + 1;
    if (!part.empty() && part != ".") parts.push_back(std::move(part));
  }
  return parts;
}

/// Whether a link at `path` with this target stays in the workspace or leads to the system's own files, as
/// virtual environments do.
bool is_harmless_link(const std::string& workspace, const std::string& path, const std::string& target) {
  auto parts = parts_of(target);
  // Behind a name, which may be a link itself, ".." leads elsewhere than the text says.
  auto name = std::find_if(parts.begin(), parts.end(), [](auto& part) { return part != ".."; });
  if (std::find(name, parts.end(), "..") != parts.end()) return false;
  for (std::string_view system : {"/usr/", "/bin/", "/lib/", "/lib64/", "/opt/", "/nix/store/"})
    if (target.compare(0, system.size(), system) == 0) return true;
  std::string whole =
      target.empty() || target[0] != '/' ? workspace + "/" + parent_of(path) + "/" + target : target;
  std::string resolved;
  for (const auto& part : parts_of(whole)) {
    if (part == "..")
      resolved.resize(resolved.empty() ? 0 : resolved.rfind('/'));
    else
      resolved += "/" + part;
  }
  return resolved == workspace || resolved.rfind(workspace + "/", 0) == 0;
}

class Finder {
 public:
  Finder(const std::string& workspace, timespec since, const std::vector<std::string>& guarded)
      : workspace_(workspace),
        changed_(since),
        git_(workspace, changed_, {guarded.begin(), guarded.end()}, reading_, found_by_git_) {}

  bool visit(const WalkEntry& entry) {
    std::string name(entry.name);
    if (name == ".git") return git(entry, name), false;
    if (name == "HEAD" && entry.type != DT_DIR) bare(entry);
    if (entry.type == DT_LNK) link(entry, name);
    if (entry.type == DT_DIR) return directory(entry, name);
    if (!is_dependency(entry.path)) file(entry, name);
    return false;
  }

  std::vector<Trap> take(const Walked& walked) {
    // First what runs by itself: a long list of the rest must not hide it.
    found_.insert(found_.begin(), found_by_git_.begin(), found_by_git_.end());
    if (!walked.complete() || reading_.is_exhausted())
      found_.insert(found_.begin(), {".",
                                     "the workspace could not be looked through whole (too large, too deep, "
                                     "or closed directories): this list may lack some"});
    if (found_.size() > kMaxTraps) {
      auto more = found_.size() - kMaxTraps;
      found_.resize(kMaxTraps);
      found_.push_back({".", fmt::format("{} more are not listed", more)});
    }
    return std::move(found_);
  }

 private:
  void git(const WalkEntry& entry, const std::string& name) {
    if (entry.type == DT_DIR) git_.git_directory(entry.directory, name, entry.path);
    if (entry.type == DT_REG) git_.git_file(entry.directory, name, entry.path);
    if (entry.type == DT_LNK && changed_(entry.directory, name))
      found_by_git_.push_back({entry.path, "git would use the repository that this link leads to"});
  }

  /// Git takes the directory for a repository when it is entered.
  void bare(const WalkEntry& entry) {
    if (!is_git_layout(entry.directory)) return;
    auto path = parent_of(entry.path);
    git_.git_directory(entry.directory, ".", path.empty() ? "." : path);
  }

  void link(const WalkEntry& entry, const std::string& name) {
    char target[PATH_MAX];
    auto length = ::readlinkat(entry.directory, name.c_str(), target, sizeof target);
    if (length <= 0 || !changed_(entry.directory, name)) return;
    std::string text(target, static_cast<std::size_t>(length));
    if (is_autorun_directory(name))
      found_.push_back({entry.path, "tools would take " + name + " from where this link leads, " + text});
    if (!is_harmless_link(workspace_, entry.path, text))
      found_.push_back({entry.path, "a link that leads out of the workspace, to " + text});
  }

  bool directory(const WalkEntry& entry, const std::string& name) {
    // A directory that was renamed to such a name brings old files with it.
    bool arrived = is_autorun_directory(name) && changed_(entry.directory, name);
    if (arrived || arrived_.count(parent_of(entry.path)) > 0) arrived_.insert(entry.path);
    return true;
  }

  void file(const WalkEntry& entry, const std::string& name) {
    bool package = name == "package.json", attributes = name == ".gitattributes",
         modules = name == ".gitmodules";
    auto why = autorun(entry.path);
    if (why.empty() && !package && !attributes && !modules) return;
    if (!changed_(entry.directory, name) && arrived_.count(parent_of(entry.path)) == 0) return;
    if (!why.empty()) found_.push_back({entry.path, std::string(why)});
    if (attributes) git_.attributes(entry.directory, name, entry.path);
    if (modules) git_.submodules(entry.directory, name, entry.path);
    if (package) scripts(entry, name);
  }

  void scripts(const WalkEntry& entry, const std::string& name) {
    auto text = reading_.read_some(entry.directory, name);
    if (is_longer(entry.directory, name))
      return found_.push_back(
          {entry.path, "too long to be looked through for scripts that npm install runs"});
    for (const auto* script :
         {"\"preinstall\"", "\"install\"", "\"postinstall\"", "\"prepare\"", "\"prepublish\""})
      if (text.find(script) != std::string::npos)
        return found_.push_back({entry.path, fmt::format("npm install runs its script {}", script)});
  }

  const std::string& workspace_;
  Changed changed_;
  Reading reading_;
  std::vector<Trap> found_;
  std::vector<Trap> found_by_git_;
  GitTraps git_;
  std::set<std::string> arrived_;
};

}  // namespace

Result<std::vector<Trap>> find_traps(const std::string& workspace, timespec since,
                                     const std::vector<std::string>& guarded) {
  Finder finder(workspace, since, guarded);
  auto visit = [&](const WalkEntry& entry) { return finder.visit(entry); };
  auto walked =
      TRY(walk(workspace, visit, {.other_file_systems = true}).context("looking for traps in the workspace"));
  return finder.take(walked);
}

}  // namespace belljar::jar
