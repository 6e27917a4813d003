#include "cli/workspace.h"

#include <cerrno>

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

namespace belljar::cli {

namespace {

Result<std::string> resolve(const std::string& path) {
  char resolved[PATH_MAX];
  if (::realpath(path.c_str(), resolved) == nullptr)
    return Error::from_errno(errno, "find the directory " + path);
  struct stat info {};
  if (::stat(resolved, &info) < 0) return Error::from_errno(errno, "find the directory " + path);
  if (!S_ISDIR(info.st_mode)) return Error(ErrorCode::invalid_argument, path + " is not a directory");
  return std::string(resolved);
}

bool has_repository(const std::string& directory) {
  struct stat info {};
  return ::lstat((directory + "/.git").c_str(), &info) == 0;
}

/// Climbs from `start` to the directory that holds .git. The user's home and what is above it are never
/// reached: a repository of dotfiles is not the project.
std::string repository_around(const std::string& start, const std::string& user_home) {
  for (std::string directory = start; directory.size() > 1 && directory != user_home;
       directory.resize(directory.rfind('/'))) {
    if (has_repository(directory)) return directory;
  }
  return start;
}

}  // namespace

Result<Workspace> find_workspace(const std::string& chosen, const std::string& user_home) {
  if (!chosen.empty()) {
    auto root = TRY(resolve(chosen).hint("name an existing directory: --workspace DIR"));
    return Workspace{.root = root, .current = root};
  }
  auto current = TRY(resolve("."));
  auto home = resolve(user_home);
  return Workspace{.root = repository_around(current, home ? *home : user_home), .current = current};
}

}  // namespace belljar::cli
