// KnownJar: what belljar knows of one jar at one moment, for listings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "keeper/end_record.h"
#include "keeper/protocol.h"

namespace belljar::daemon {

/// Of a jar, as long as it has had its name: events of the ledger.
struct RequestCount {
  std::uint64_t allowed = 0;
  std::uint64_t denied = 0;  ///< connections that were refused before a request came included
  bool operator==(const RequestCount&) const = default;
};

/// Times are seconds since 1970.
struct KnownJar {
  std::string name;
  std::string workspace;  ///< empty: none, or the record is damaged
  std::string agent;      ///< empty for `run`
  std::int64_t created = 0;
  std::int64_t started = 0;                ///< last
  std::optional<keeper::EndRecord> ended;  ///< last
  std::string generation;                  ///< of its root; empty: read-only system directories
  /// "starting", "running", "paused", "stopping", "not answering"; "stopped", "killed", "damaged".
  std::string state;
  bool running = false;  ///< somebody holds its lock
  std::optional<RequestCount> requests;
  bool requests_complete = false;  ///< false: there are at least so many
  std::optional<keeper::answer::StatusReport> live;
  bool operator==(const KnownJar&) const = default;
};

/// What is said of a jar whose lock nobody holds.
std::string state_at_rest(bool damaged, bool has_socket, std::int64_t started,
                          const std::optional<keeper::EndRecord>& ended);

}  // namespace belljar::daemon
