#include "config/placement.h"

#include <limits.h>
#include <stdlib.h>

namespace belljar::config {

std::string holder_of(const std::string& path, const std::vector<std::string>& directories) {
  char resolved[PATH_MAX];
  if (::realpath(path.c_str(), resolved) == nullptr) return "";
  std::string real = resolved;
  for (const auto& directory : directories)
    if (!directory.empty() && real.starts_with(directory + "/")) return directory;
  return "";
}

}  // namespace belljar::config
