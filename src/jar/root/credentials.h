// Which of the host's configuration carries credentials, by name and by content. Where it is uncertain
// whether a file can be cleaned, it is left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belljar::jar {

/// Whether this path (relative to /etc, a file or a directory) is never copied.
bool is_private_name(std::string_view path);

/// The file without its credentials; nothing when it must not be copied at all. `path` is relative to /etc.
std::optional<std::string> clean_file(std::string_view path, std::string content);

}  // namespace belljar::jar
