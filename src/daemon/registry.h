// Registry: what belljard has noted of the jars, in DIRECTORY/registry.sqlite (write-ahead log). Nothing
// depends on it: what a jar is stands in its directory, whether it runs says its lock, and all of this can be
// made anew from there and from the ledger. So a file that can't be used is never in the way, and never lost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/known_jar.h"
#include "ledger/sqlite.h"

namespace belljar::daemon {

/// Times are seconds since 1970.
struct RegistryEntry {
  std::string name;
  std::string workspace;
  std::string agent;
  std::int64_t created = 0;
  std::int64_t started = 0;
  std::optional<keeper::EndRecord> ended;
  std::string generation;
  RequestCount requests;
  bool operator==(const RegistryEntry&) const = default;
};

class Registry {
 public:
  /// Opens or makes it, and brings an older one up to date. One that is damaged is set aside as
  /// registry.sqlite.damaged, and one that a newer belljar wrote is left alone and nothing written: problem()
  /// then says so. An error only where there is no room for any.
  static Result<Registry> open(const std::string& directory);

  /// A line for a person; empty where all is well.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// Where it is and what becomes of it, one line.
  [[nodiscard]] const std::string& description() const { return description_; }

  [[nodiscard]] Result<std::vector<RegistryEntry>> all();
  Result<void> put(const RegistryEntry& entry);
  Result<void> remove(std::string_view name);

  /// Up to which row of the ledger the requests are counted, and the counts that this changes.
  [[nodiscard]] Result<std::uint64_t> counted_through();
  Result<void> put_counts(const std::vector<RegistryEntry>& changed, std::uint64_t through);

 private:
  explicit Registry(ledger::Database database) : database_(std::move(database)) {}
  static Result<Registry> open_file(const std::string& path);
  static Result<Registry> open_in_memory();
  Result<void> migrate();
  Result<void> write(const RegistryEntry& entry);
  Result<std::vector<RegistryEntry>> read(ledger::Statement statement);

  ledger::Database database_;
  std::string problem_;
  std::string description_;
};

/// The newest schema that this build knows.
std::int64_t registry_schema_version();

}  // namespace belljar::daemon
