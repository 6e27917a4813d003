// Store: the ledger on disk, DIRECTORY/ledger.db (SQLite, write-ahead log, synchronous=FULL) and
// DIRECTORY/ledger.anchor. Several processes may have it open and append.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/anchor.h"
#include "ledger/chain.h"
#include "ledger/event.h"
#include "ledger/sqlite.h"

namespace belljar::ledger {

/// What is appended; the sequence is given by the store.
struct Entry {
  std::int64_t time = 0;
  std::string jar;
  std::string source;
  Bytes event;
};

/// Microseconds since 1970 (UTC).
std::int64_t wall_clock();

struct Row {
  std::uint64_t sequence = 0;
  std::int64_t time = 0;
  std::string jar;
  std::string source;
  Event event;
};

struct Filter {
  std::optional<std::string> jar;
  std::uint64_t after = 0;   ///< only rows with a higher sequence
  std::int64_t since = 0;    ///< only rows at or after this time
  std::uint64_t limit = 50;  ///< the last so many
  bool from_start = false;   ///< the first so many instead
};

/// The first thing that is wrong with the chain.
struct Fault {
  std::uint64_t sequence = 0;  ///< of the row that is missing or wrong
  std::string what;            ///< one line
};

struct Verification {
  std::uint64_t rows = 0;  ///< that were read and found right
  std::optional<Fault> fault;
};

class Store {
 public:
  /// Opens, making what is absent; migrates an older schema and refuses a newer one (`unsupported`).
  static Result<Store> open(const std::string& directory);
  /// For readers: nothing when there is no ledger yet.
  static Result<std::optional<Store>> open_existing(const std::string& directory);

  /// Appends all or none; durable when it returns. limit_exceeded on a full disk.
  Result<void> append(const std::vector<Entry>& entries);

  /// Rows in the order of their sequence. An event that can't be read is shown as a lifecycle event that says
  /// so.
  Result<std::vector<Row>> list(const Filter& filter);
  /// Reads the whole chain.
  Result<Verification> verify();

 private:
  Store(Database database, Anchor anchor) : database_(std::move(database)), anchor_(std::move(anchor)) {}
  static Result<Store> open_files(const std::string& directory, bool create);
  Result<void> migrate();
  Result<Head> read_head();
  Result<std::optional<Entry>> reconcile(Head& head);
  Result<void> insert(const std::vector<Entry>& entries, Head& head);

  Database database_;
  Anchor anchor_;
};

}  // namespace belljar::ledger
