// The journal: that an undo is being carried out. It is on the disk before the workspace is touched and goes
// when all is done; in between, doing the same undo again ends it well, whatever stopped it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace belljar::undo {

struct Journal {
  std::uint64_t target = 0;  ///< number of a checkpoint
  std::string path;          ///< only this part of the workspace; empty: all
  std::string staging;       ///< name of a directory in the workspace with what is not yet in its place
};

/// `directory` is the store's.
Result<std::optional<Journal>> read_journal(const std::string& directory);
Result<void> write_journal(const std::string& directory, const Journal& journal);
Result<void> remove_journal(const std::string& directory);

/// Any bytes.
Result<Journal> parse_journal(std::string_view text);
std::string to_text(const Journal& journal);

}  // namespace belljar::undo
