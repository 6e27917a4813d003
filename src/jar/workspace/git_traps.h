// Traps in git directories.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "jar/jar_spec.h"
#include "jar/workspace/changed.h"

namespace belljar::jar {

class GitTraps {
 public:
  /// `guarded`: paths of git directories of which each is the one that stood there before.
  GitTraps(std::string workspace, Changed changed, std::set<std::string> guarded, Reading& reading,
           std::vector<Trap>& found)
      : workspace_(std::move(workspace)),
        changed_(changed),
        guarded_(std::move(guarded)),
        reading_(reading),
        found_(found) {}

  /// A git directory `name` (".git", a bare repository, "." for the directory itself) at `path`.
  void git_directory(int parent, const std::string& name, const std::string& path);
  /// A .git file, which leads elsewhere.
  void git_file(int parent, const std::string& name, const std::string& path);
  /// .gitattributes or info/attributes: drivers are named here and defined in configurations.
  void attributes(int parent, const std::string& name, const std::string& path);
  void submodules(int parent, const std::string& name, const std::string& path);

 private:
  struct Directory;
  void configuration(const Directory& git, const std::string& name);
  void hooks(const Directory& git);
  void redirections(const Directory& git);
  void modules(const Directory& git, const std::string& below, int depth);
  void worktrees(const Directory& git);
  bool is_link(const Directory& git, const std::string& name);
  std::vector<std::string> names(const Directory& git, const std::string& below);
  void report(const std::string& path, std::string why) { found_.push_back({path, std::move(why)}); }

  std::string workspace_;
  Changed changed_;
  std::set<std::string> guarded_;
  Reading& reading_;
  std::vector<Trap>& found_;
};

}  // namespace belljar::jar
