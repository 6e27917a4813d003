#include "ledger/store.h"

#include <algorithm>

#include <fmt/core.h>
#include <time.h>

#include "os/fd.h"

namespace belljar::ledger {

namespace {

constexpr std::int64_t kSchemaVersion = 1;

/// Entry n leads from version n to n + 1.
constexpr const char* kMigrations[] = {
    "CREATE TABLE events ("
    "  sequence INTEGER PRIMARY KEY,"
    "  time INTEGER NOT NULL,"
    "  jar TEXT NOT NULL,"
    "  source TEXT NOT NULL,"
    "  event BLOB NOT NULL,"
    "  hash BLOB NOT NULL"
    ") STRICT;"
    "CREATE INDEX events_by_jar ON events (jar, sequence);"
    "PRAGMA user_version = 1;",
};

Result<std::int64_t> one_integer(Database& database, std::string_view sql) {
  auto statement = TRY(database.prepare(sql));
  if (!TRY(statement.step())) return Error(ErrorCode::internal, "a query without an answer");
  return statement.integer(0);
}

Result<Hash> to_hash(const Bytes& bytes) {
  Hash hash;
  if (bytes.size() != hash.size())
    return Error(ErrorCode::malformed, "the ledger has a hash of the wrong size");
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

Record record_of(const Statement& row) {
  return {.sequence = static_cast<std::uint64_t>(row.integer(0)),
          .time = row.integer(1),
          .jar = row.text(2),
          .source = row.text(3),
          .event = row.bytes(4)};
}

Event readable(const Bytes& bytes) {
  auto event = decode(bytes);
  if (event) return std::move(event).value();
  return {.kind = Kind::lifecycle, .reason = "an event that can't be read: " + event.error().to_string()};
}

}  // namespace

std::int64_t wall_clock() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000 + now.tv_nsec / 1000;
}

Result<Store> Store::open_files(const std::string& directory, bool create) {
  auto database = TRY(Database::open(directory + "/ledger.db", create));
  auto anchor = TRY(Anchor::open(directory + "/ledger.anchor", create));
  TRY(database.execute(
      "PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;"));
  return Store(std::move(database), std::move(anchor));
}

Result<Store> Store::open(const std::string& directory) {
  TRY(os::create_directories(directory));
  auto store = TRY(open_files(directory, true));
  auto version = TRY(one_integer(store.database_, "PRAGMA user_version"));
  if (version > kSchemaVersion)
    return Error(ErrorCode::unsupported, "the ledger was written by a newer version of belljar");
  if (version < kSchemaVersion) TRY(store.migrate());
  return store;
}

Result<std::optional<Store>> Store::open_existing(const std::string& directory) {
  auto store = open_files(directory, false);
  if (!store && store.error().code() == ErrorCode::not_found) return std::optional<Store>{};
  if (!store) return std::move(store).error();
  auto version = TRY(one_integer(store->database_, "PRAGMA user_version"));
  if (version == 0) return std::optional<Store>{};  // being made right now
  if (version > kSchemaVersion)
    return Error(ErrorCode::unsupported, "the ledger was written by a newer version of belljar");
  return std::optional<Store>(std::move(store).value());
}

Result<void> Store::migrate() {
  auto lock = TRY(anchor_.lock());
  TRY(database_.execute("PRAGMA journal_mode = WAL"));
  auto transaction = TRY(Transaction::begin(database_));
  auto version = TRY(one_integer(database_, "PRAGMA user_version"));  // another process may have been first
  for (; version < kSchemaVersion; ++version)
    TRY(database_.execute(kMigrations[version]));
  return transaction.commit();
}

Result<Head> Store::read_head() {
  auto statement = TRY(database_.prepare("SELECT sequence, hash FROM events ORDER BY sequence DESC LIMIT 1"));
  Head head;
  if (!TRY(statement.step())) return head;
  head.sequence = static_cast<std::uint64_t>(statement.integer(0));
  head.hash = TRY(to_hash(statement.bytes(1)));
  return head;
}

/// Where rows are missing at the end, the chain goes on behind them, from what the anchor says: the gap stays
/// to be seen for good. The entry tells of it.
Result<std::optional<Entry>> Store::reconcile(Head& head) {
  auto anchored = TRY(anchor_.read());
  auto tell = [](std::string what) {
    Event event{.kind = Kind::lifecycle, .reason = std::move(what)};
    return std::optional<Entry>(
        Entry{.time = wall_clock(), .jar = {}, .source = "ledger", .event = encode(event)});
  };
  if (!anchored) {
    if (head.sequence == 0) return std::optional<Entry>{};
    return tell("the ledger's anchor is missing: rows may have been cut off before this one");
  }
  if (anchored->sequence <= head.sequence) return std::optional<Entry>{};
  auto reason =
      fmt::format("the ledger was cut: rows {} to {} are missing", head.sequence + 1, anchored->sequence);
  head = *anchored;
  return tell(std::move(reason));
}

Result<void> Store::insert(const std::vector<Entry>& entries, Head& head) {
  auto statement = TRY(database_.prepare(
      "INSERT INTO events (sequence, time, jar, source, event, hash) VALUES (?, ?, ?, ?, ?, ?)"));
  for (const auto& entry : entries) {
    Record record{.sequence = head.sequence + 1,
                  .time = entry.time,
                  .jar = entry.jar,
                  .source = entry.source,
                  .event = entry.event};
    head = {.sequence = record.sequence, .hash = hash_of(head.hash, record)};
    statement.bind(1, static_cast<std::int64_t>(record.sequence)).bind(2, record.time);
    statement.bind(3, record.jar)
        .bind(4, record.source)
        .bind(5, BytesView(record.event))
        .bind(6, BytesView(head.hash));
    bool has_row = TRY(statement.step());
    CHECK(!has_row);
    statement.reset();
  }
  return {};
}

Result<void> Store::append(const std::vector<Entry>& entries) {
  if (entries.empty()) return {};
  auto lock = TRY(anchor_.lock());
  auto transaction = TRY(Transaction::begin(database_));
  auto head = TRY(read_head());
  if (auto told = TRY(reconcile(head))) TRY(insert({*told}, head));
  TRY(insert(entries, head));
  TRY(transaction.commit());
  return anchor_.write(head);
}

Result<std::vector<Row>> Store::list(const Filter& filter) {
  std::string sql =
      "SELECT sequence, time, jar, source, event FROM events WHERE sequence > ?1 AND time >= ?2";
  if (filter.jar) sql += " AND jar = ?4";
  sql += filter.from_start ? " ORDER BY sequence LIMIT ?3" : " ORDER BY sequence DESC LIMIT ?3";
  auto statement = TRY(database_.prepare(sql));
  auto limit = std::min<std::uint64_t>(filter.limit, 1U << 30);
  statement.bind(1, static_cast<std::int64_t>(filter.after)).bind(2, filter.since);
  statement.bind(3, static_cast<std::int64_t>(limit));
  if (filter.jar) statement.bind(4, *filter.jar);
  std::vector<Row> rows;
  while (TRY(statement.step())) {
    auto record = record_of(statement);
    rows.push_back({.sequence = record.sequence,
                    .time = record.time,
                    .jar = std::move(record.jar),
                    .source = std::move(record.source),
                    .event = readable(record.event)});
  }
  if (!filter.from_start) std::reverse(rows.begin(), rows.end());
  return rows;
}

Result<Verification> Store::verify() {
  // Read before the rows: another process may append meanwhile, and the anchor must not be ahead of what we
  // see.
  auto anchored = TRY(anchor_.read());
  auto statement =
      TRY(database_.prepare("SELECT sequence, time, jar, source, event, hash FROM events ORDER BY sequence"));
  Verification result;
  Head head;
  bool anchor_seen = false;
  auto broken = [&](std::uint64_t sequence, std::string what) {
    result.fault = Fault{.sequence = sequence, .what = std::move(what)};
    return result;
  };
  while (true) {
    auto more = statement.step();
    if (!more && more.error().code() == ErrorCode::malformed)
      return broken(head.sequence + 1, more.error().message());
    if (!TRY(std::move(more))) break;
    auto record = record_of(statement);
    auto expected = head.sequence + 1;
    if (record.sequence != expected) return broken(expected, "this row is missing");
    head = {.sequence = expected, .hash = hash_of(head.hash, record)};
    auto stored = statement.bytes(5);
    if (!std::equal(stored.begin(), stored.end(), head.hash.begin(), head.hash.end()))
      return broken(expected, "this row was changed, or one before it was taken out or moved");
    if (anchored && anchored->sequence == expected) {
      if (anchored->hash != head.hash) return broken(expected, "this row is not the one that was written");
      anchor_seen = true;
    }
    ++result.rows;
  }
  if (!anchored && result.rows > 0)
    return broken(head.sequence + 1, "the anchor is missing: rows may have been cut off");
  if (anchored && anchored->sequence > 0 && !anchor_seen)
    return broken(head.sequence + 1,
                  fmt::format("the rows up to {} are missing: the end was cut off", anchored->sequence));
  return result;
}

}  // namespace belljar::ledger
