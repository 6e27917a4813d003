// LastEnd: how a run of a jar ended, kept in the jar's directory until its next start where nobody was there
// to be told: which limit ended it, and what it left for tools of this host to run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jar/jar_spec.h"

namespace belljar::keeper {

struct LastEnd {
  std::int64_t ended = 0;  ///< seconds since 1970
  int exit_code = 0;
  std::vector<std::string> reasons;  ///< one line each; why it was belljar or the kernel that ended it
  std::vector<jar::Trap> traps;      ///< the first ones; texts that a jar may have chosen
  std::uint64_t all_traps = 0;
};

/// At most this many traps are kept.
inline constexpr std::size_t kMostKeptTraps = 200;

Result<void> write_last_end(const std::string& jar_directory, const LastEnd& end);
/// Nothing where none is kept, or what is there is no such thing.
std::optional<LastEnd> read_last_end(const std::string& jar_directory);
void forget_last_end(const std::string& jar_directory);

}  // namespace belljar::keeper
