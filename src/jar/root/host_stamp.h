// The state of the host's system in one value, from few calls: it is asked for at every start.
#pragma once

#include <string>
#include <vector>

namespace belljar::jar {

/// 16 hexadecimal digits that change when packages are installed, changed or removed, when something is added
/// to or taken from the usual directories of programs, or when `salt` is another. A file that is replaced by
/// hand deep in a directory is not seen.
std::string host_stamp(const std::vector<std::string>& directories, const std::string& salt);

}  // namespace belljar::jar
