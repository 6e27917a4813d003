// Paths as texts: absolute, without "." and "..", no file is looked at.
#pragma once

#include <string_view>

namespace belljar::os {

/// Whether it is the directory or lies below. Nothing is within "".
constexpr bool is_within(std::string_view path, std::string_view directory) {
  if (directory == "/") return path.starts_with('/');
  return !directory.empty() && path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace belljar::os
