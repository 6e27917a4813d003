// Where a file of the user's really stands. Configuration is trusted because it is the user's; what stands
// where a jar can write, by whatever link it is reached (dotfiles kept in a repository, a variable that names
// it), is the jar's word.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace belljar::config {

/// The directories that jars can write, as resolved paths. Asked once there is a file to judge.
using WrittenByJars = std::function<Result<std::vector<std::string>>()>;

/// A file that was judged before it was opened, and is the one that was judged: what becomes of its path
/// meanwhile changes nothing.
struct PlacedFile {
  os::Fd file;
  /// Instead of that: the directory of jars that it stands in, or that a link on the way to it stands in; or
  /// why that can't be told.
  std::string holder;
  std::string hint;  ///< what to type where it can't be told
};

/// Follows links. not_found where there is no such file. Where `written` is empty nothing is the jars'.
Result<PlacedFile> open_placed(const std::string& path, const WrittenByJars& written);

/// Its text, for which no more than `limit` bytes are read. permission_denied, of no errno and with a reason
/// that calls it `shown`, where it has a holder.
Result<std::string> read_placed(const std::string& path, const std::string& shown, std::size_t limit,
                                const WrittenByJars& written);

}  // namespace belljar::config
