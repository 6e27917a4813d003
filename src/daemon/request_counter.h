// RequestCounter: how many requests of each jar the ledger has. Every event is read once; where that was is
// kept in the registry.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "daemon/registry.h"
#include "ledger/store.h"
#include "rt/clock.h"

namespace belljar::daemon {

class RequestCounter {
 public:
  /// Opens the ledger with all its files, made where absent: afterwards no file is opened any more, so that
  /// a process may confine itself.
  static Result<RequestCounter> open(const std::string& ledger_directory);

  /// Goes on counting, for at most about `budget`; `entries` get their counts, and the registry what has
  /// changed. Whether it has come to the end of the ledger. An event counts for the jar that has its name
  /// now, unless it is older than that jar. `closed` when the ledger's files are others by now.
  Result<bool> count(Registry& registry, std::map<std::string, RegistryEntry>& entries, rt::Duration budget);

 private:
  RequestCounter(ledger::Store store, std::string path, std::uint64_t file)
      : store_(std::move(store)), path_(std::move(path)), file_(file) {}
  /// Where the end of the ledger is cut off, all is counted anew.
  Result<void> find_place(Registry& registry, std::map<std::string, RegistryEntry>& entries);

  ledger::Store store_;
  std::string path_;
  std::uint64_t file_;  ///< inode
  std::optional<std::uint64_t> through_;
};

}  // namespace belljar::daemon
