// How the last run of a jar ended, in a file of the jar's directory: known also when nobody was there to see.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace belljar::keeper {

struct EndRecord {
  std::int64_t time = 0;         ///< seconds since 1970
  std::optional<int> exit_code;  ///< as shells report it; nothing: the keeper was killed, and the jar with it
  bool operator==(const EndRecord&) const = default;
};

/// The caller holds the jar's lock. Not synced: what a power cut takes is no jar's state.
Result<void> write_end(const std::string& jar_directory, const EndRecord& end);
/// Nothing when there is none, or none that can be read.
std::optional<EndRecord> read_end(const std::string& jar_directory);

}  // namespace belljar::keeper
