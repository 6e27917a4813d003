#include "keeper/directories.h"

#include <cstdlib>

namespace belljar::keeper {

namespace {

std::string base_directory(const char* variable, const std::string& fallback) {
  const char* value = std::getenv(variable);
  // The specification says that a relative path is to be ignored.
  bool usable = value != nullptr && value[0] == '/';
  return (usable ? std::string(value) : fallback) + "/belljar";
}

}  // namespace

Result<Directories> find_directories() {
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/')
    return Error(ErrorCode::invalid_argument,
                 "HOME is not set to an absolute path, so there is no place for jars")
        .with_hint("export HOME=/home/you");
  std::string user_home = home;
  while (user_home.size() > 1 && user_home.back() == '/')
    user_home.pop_back();
  return Directories{.user_home = user_home,
                     .config = base_directory("XDG_CONFIG_HOME", user_home + "/.config"),
                     .state = base_directory("XDG_STATE_HOME", user_home + "/.local/state"),
                     .cache = base_directory("XDG_CACHE_HOME", user_home + "/.cache")};
}

}  // namespace belljar::keeper
