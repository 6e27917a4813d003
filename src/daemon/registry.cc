#include "daemon/registry.h"

#include <cerrno>
#include <cstdio>
#include <iterator>

#include <fmt/core.h>

namespace belljar::daemon {

namespace {

using ledger::Database;
using ledger::Statement;
using ledger::Transaction;

/// Step n leads from version n to n + 1. A step that has been released is never changed.
constexpr const char* kMigrations[] = {
    // 1: what a jar is, and its last run. exit_code -1 with an end: killed; ended 0: none is known.
    "CREATE TABLE jars ("
    "  name TEXT PRIMARY KEY,"
    "  workspace TEXT NOT NULL,"
    "  agent TEXT NOT NULL,"
    "  created INTEGER NOT NULL,"
    "  started INTEGER NOT NULL,"
    "  ended INTEGER NOT NULL,"
    "  exit_code INTEGER NOT NULL"
    ") STRICT;"
    "CREATE INDEX jars_by_workspace ON jars (workspace, created, name);",
    // 2: the root generation, and requests as the ledger has them.
    "ALTER TABLE jars ADD COLUMN generation TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE jars ADD COLUMN allowed INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE jars ADD COLUMN denied INTEGER NOT NULL DEFAULT 0;"
    "CREATE TABLE ledger (only INTEGER PRIMARY KEY CHECK (only = 1), counted_through INTEGER NOT NULL) "
    "STRICT;"
    "INSERT INTO ledger VALUES (1, 0);",
    // 3: nobody asks for the jars of a workspace.
    "DROP INDEX IF EXISTS jars_by_workspace;",
};

constexpr std::int64_t kKilled = -1;
constexpr const char* kColumns =
    "SELECT name, workspace, agent, created, started, ended, exit_code, generation, allowed, denied FROM "
    "jars ";

Result<std::int64_t> one_integer(Database& database, std::string_view sql) {
  auto statement = TRY(database.prepare(sql));
  if (!TRY(statement.step())) return Error(ErrorCode::malformed, "a query without an answer");
  return statement.integer(0);
}

/// Reads all of it: a fault shows here rather than later.
Result<void> check_whole(Database& database) {
  auto statement = TRY(database.prepare("PRAGMA quick_check(1)"));
  if (TRY(statement.step()) && statement.text(0) == "ok") return {};
  return Error(ErrorCode::malformed, statement.text(0));
}

Result<void> set_aside(const std::string& path) {
  for (const char* part : {"", "-wal", "-shm"}) {
    auto from = path + part;
    auto to = path + ".damaged" + part;
    (void)std::remove(to.c_str());  // of an earlier damage: no two of them belong together
    if (std::rename(from.c_str(), to.c_str()) < 0 && errno != ENOENT)
      return Error::from_errno(errno, "set " + from + " aside");
  }
  return {};
}

}  // namespace

std::int64_t registry_schema_version() { return std::ssize(kMigrations); }

Result<Registry> Registry::open_file(const std::string& path) {
  Registry registry(TRY(Database::open(path, true)));
  TRY(registry.database_.execute(
      "PRAGMA temp_store = MEMORY; PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF;"));
  TRY(check_whole(registry.database_));
  TRY(registry.migrate());
  (void)TRY(registry.all());  // the tables are those that the version promises
  (void)TRY(registry.counted_through());
  registry.description_ = path;
  return registry;
}

Result<Registry> Registry::open_in_memory() {
  Registry registry(TRY(Database::open_in_memory()));
  TRY(registry.migrate());
  return registry;
}

Result<Registry> Registry::open(const std::string& directory) {
  auto path = directory + "/registry.sqlite";
  auto opened = open_file(path);
  if (opened) return opened;
  std::string problem;
  if (opened.error().code() == ErrorCode::malformed) {
    auto what = opened.error().to_string();
    TRY(set_aside(path));
    auto again = open_file(path);
    if (again) {
      again->problem_ = fmt::format(
          "belljard's registry was damaged ({}), and was made anew from the jars' directories; the old one "
          "is {}.damaged",
          what, path);
      return again;
    }
    opened = std::move(again);
  }
  bool newer = opened.error().code() == ErrorCode::unsupported;
  auto registry = TRY(open_in_memory());
  registry.description_ = newer ? "in memory: the file is a newer belljar's" : "in memory";
  registry.problem_ = newer ? fmt::format(
                                  "{} was written by a newer version of belljar: it is left as it is, and "
                                  "nothing is noted there",
                                  path)
                            : fmt::format("belljard's registry can't be written, so nothing is noted: {}",
                                          opened.error().to_string());
  return registry;
}

Result<void> Registry::migrate() {
  auto version = TRY(one_integer(database_, "PRAGMA user_version"));
  if (version > registry_schema_version() || version < 0)
    return Error(ErrorCode::unsupported, "a registry of a newer version");
  if (version == registry_schema_version()) return {};
  TRY(database_.execute("PRAGMA journal_mode = WAL"));
  auto transaction = TRY(Transaction::begin(database_));
  for (; version < registry_schema_version(); ++version) {
    // A file that lacks what its version promises is no registry: it is treated as damaged.
    auto step = database_.execute(kMigrations[version]);
    if (!step && step.error().code() == ErrorCode::system)
      return Error(ErrorCode::malformed, step.error().to_string());
    TRY(std::move(step));
    TRY(database_.execute(fmt::format("PRAGMA user_version = {}", version + 1)));
  }
  return transaction.commit();
}

Result<std::vector<RegistryEntry>> Registry::read(Statement statement) {
  std::vector<RegistryEntry> entries;
  while (TRY(statement.step())) {
    RegistryEntry entry{.name = statement.text(0),
                        .workspace = statement.text(1),
                        .agent = statement.text(2),
                        .created = statement.integer(3),
                        .started = statement.integer(4),
                        .ended = {},
                        .generation = statement.text(7),
                        .requests = {.allowed = static_cast<std::uint64_t>(statement.integer(8)),
                                     .denied = static_cast<std::uint64_t>(statement.integer(9))}};
    if (auto ended = statement.integer(5); ended != 0) {
      entry.ended.emplace().time = ended;
      if (statement.integer(6) != kKilled) entry.ended->exit_code = static_cast<int>(statement.integer(6));
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::vector<RegistryEntry>> Registry::all() {
  auto statement = database_.prepare(std::string(kColumns) + "ORDER BY name");
  if (!statement) return Error(ErrorCode::malformed, statement.error().to_string());
  return read(std::move(*statement));
}

Result<void> Registry::write(const RegistryEntry& entry) {
  auto statement = TRY(database_.prepare(
      "INSERT OR REPLACE INTO jars (name, workspace, agent, created, started, ended, exit_code, generation, "
      "allowed, denied) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"));
  statement.bind(1, entry.name).bind(2, entry.workspace).bind(3, entry.agent).bind(4, entry.created);
  statement.bind(5, entry.started).bind(6, entry.ended ? entry.ended->time : std::int64_t{0});
  statement.bind(7, entry.ended && entry.ended->exit_code ? std::int64_t{*entry.ended->exit_code} : kKilled);
  statement.bind(8, entry.generation);
  statement.bind(9, static_cast<std::int64_t>(entry.requests.allowed));
  statement.bind(10, static_cast<std::int64_t>(entry.requests.denied));
  (void)TRY(statement.step());
  return {};
}

Result<void> Registry::put(const RegistryEntry& entry) { return write(entry); }

Result<void> Registry::remove(std::string_view name) {
  auto statement = TRY(database_.prepare("DELETE FROM jars WHERE name = ?1"));
  statement.bind(1, name);
  (void)TRY(statement.step());
  return {};
}

Result<std::uint64_t> Registry::counted_through() {
  auto through = one_integer(database_, "SELECT counted_through FROM ledger");
  if (!through) return Error(ErrorCode::malformed, through.error().to_string());
  return static_cast<std::uint64_t>(*through);
}

Result<void> Registry::put_counts(const std::vector<RegistryEntry>& changed, std::uint64_t through) {
  auto transaction = TRY(Transaction::begin(database_));
  for (const auto& entry : changed)
    TRY(write(entry));
  auto statement = TRY(database_.prepare("UPDATE ledger SET counted_through = ?1"));
  statement.bind(1, static_cast<std::int64_t>(through));
  (void)TRY(statement.step());
  statement.reset();
  return transaction.commit();
}

}  // namespace belljar::daemon
