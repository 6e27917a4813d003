// Paths as texts: absolute, without "." and "..", no file is looked at.
#pragma once

#include <string>
#include <string_view>

namespace belljar::os {

/// Whether it is the directory or lies below. Nothing is within "".
constexpr bool is_within(std::string_view path, std::string_view directory) {
  if (directory == "/") return path.starts_with('/');
  return !directory.empty() && path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

/// What stands before the last slash: "" for what is directly below "/", and for a name alone.
inline std::string parent_of(std::string_view path) {
  auto slash = path.rfind('/');
  return std::string(path.substr(0, slash == std::string_view::npos ? 0 : slash));
}

}  // namespace belljar::os
