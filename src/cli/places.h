// Belljar's own directories as they stand on the host, looked at when a call on one of them failed: what a
// person has to mend before it can work. "Not a directory" alone says neither which one nor what to do.
#pragma once

#include <optional>
#include <string>

#include "keeper/directories.h"

namespace belljar::cli {

struct PlaceFault {
  std::string path;
  std::string what;  ///< one sentence, with the path
  std::string mend;  ///< the next command
};

/// The first that is no directory, can't be made, can't be written by this user, or has no room; with `about`
/// the first whose path is in that text. Nothing is changed. Nothing, too, where all is well or not there
/// yet.
std::optional<PlaceFault> find_place_fault(const keeper::Directories& directories,
                                           const std::string& about = "");

}  // namespace belljar::cli
