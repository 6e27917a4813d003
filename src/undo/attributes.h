// Extended attributes that an undo brings back: those of the user, and access control lists.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace belljar::undo {

/// Those of an open file or directory, encoded in the order of their names. Where the file system has none,
/// or they are more than 128 KiB, the answer is empty.
std::string read_attributes(int file);

/// Gives the file these and takes others of the kind away. The first failure is answered, all are tried.
Result<void> write_attributes(int file, std::string_view encoded);

}  // namespace belljar::undo
