#include "review/store.h"

#include <fmt/core.h>

#include "os/fd.h"

namespace belljar::review {

namespace {

constexpr std::int64_t kSchemaVersion = 2;

/// Entry n leads from version n to n + 1.
constexpr const char* kMigrations[] = {
    "CREATE TABLE proposals ("
    "  number INTEGER PRIMARY KEY,"
    "  kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 1),"
    "  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 4),"
    "  first INTEGER NOT NULL,"
    "  last INTEGER NOT NULL,"
    "  count INTEGER NOT NULL,"
    "  jar TEXT NOT NULL,"
    "  workspace TEXT NOT NULL,"
    "  content BLOB NOT NULL,"
    "  hash TEXT NOT NULL,"
    "  scheme INTEGER NOT NULL CHECK (scheme BETWEEN 0 AND 1),"
    "  host TEXT NOT NULL,"
    "  port INTEGER NOT NULL,"
    "  method TEXT NOT NULL,"
    "  who TEXT,"
    "  decided INTEGER,"
    "  why TEXT"
    ") STRICT;"
    "CREATE TABLE progress (ledger_read INTEGER NOT NULL) STRICT;"
    "INSERT INTO progress VALUES (0);"
    "PRAGMA user_version = 1;",
    "ALTER TABLE proposals ADD COLUMN seen INTEGER NOT NULL DEFAULT 0 CHECK (seen BETWEEN 0 AND 1);"
    "CREATE TABLE gave_way (jar TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT;"
    "PRAGMA user_version = 2;",
};

Result<std::int64_t> one_integer(ledger::Database& database, std::string_view sql) {
  auto statement = TRY(database.prepare(sql));
  if (!TRY(statement.step())) return Error(ErrorCode::malformed, "a query without an answer");
  return statement.integer(0);
}

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

/// What is in a row must fit together: an approval is never believed that doesn't say what it approves.
Result<Proposal> proposal_of(const ledger::Statement& row) {
  auto kind = row.integer(1);
  auto state = row.integer(2);
  auto scheme = row.integer(10);
  auto port = row.integer(12);
  if (kind < 0 || kind > 1 || state < 0 || state > 4 || scheme < 0 || scheme > 1 || port < 0 || port > 65535)
    return Error(ErrorCode::malformed, fmt::format("proposal {} can't be read", row.integer(0)));
  Proposal proposal{.number = static_cast<std::uint64_t>(row.integer(0)),
                    .kind = static_cast<Kind>(kind),
                    .state = static_cast<State>(state),
                    .first = row.integer(3),
                    .last = row.integer(4),
                    .count = static_cast<std::uint64_t>(row.integer(5)),
                    .seen = row.integer(17) != 0,
                    .jar = row.text(6),
                    .workspace = row.text(7),
                    .content = text_of(row.bytes(8)),
                    .hash = row.text(9),
                    .scheme = static_cast<policy::Scheme>(scheme),
                    .host = row.text(11),
                    .port = static_cast<std::uint16_t>(port),
                    .method = row.text(13)};
  bool is_decided = state == static_cast<int>(State::approved) || state == static_cast<int>(State::always) ||
                    state == static_cast<int>(State::rejected);
  if (is_decided)
    proposal.decision =
        Decision{.state = proposal.state, .who = row.text(14), .time = row.integer(15), .why = row.text(16)};
  if (proposal.kind == Kind::project && proposal.hash != hash_of(proposal.content))
    return Error(ErrorCode::malformed,
                 fmt::format("proposal {} does not hold what it says", proposal.number));
  return proposal;
}

}  // namespace

Error Store::explained(Error error) const {
  if (error.code() == ErrorCode::malformed)
    return std::move(error)
        .context(fmt::format("the review queue {} is damaged", path_))
        .with_hint(fmt::format("mv {0} {0}.damaged   (what it approved has to be approved again)", path_));
  return std::move(error).context("the review queue");
}

Result<Store> Store::open(const std::string& directory) {
  TRY(os::create_directories(directory).context("the review queue"));
  auto path = path_in(directory);
  Store store(TRY(ledger::Database::open(path, true).context("the review queue")), path);
  auto opened = store.migrate();
  if (!opened) return store.explained(std::move(opened).error());
  return store;
}

Result<void> Store::migrate() {
  TRY(database_.execute(
      "PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;"));
  auto version = TRY(one_integer(database_, "PRAGMA user_version"));
  if (version > kSchemaVersion)
    return Error(ErrorCode::unsupported, path_ + " was written by a newer version of belljar")
        .with_hint(fmt::format(
            "mv {0} {0}.newer   (or use that version; what it approved has to be approved again)", path_));
  if (version == kSchemaVersion) return {};
  auto transaction = TRY(ledger::Transaction::begin(database_));
  version = TRY(one_integer(database_, "PRAGMA user_version"));  // another process may have been first
  for (; version < kSchemaVersion; ++version)
    TRY(database_.execute(kMigrations[version]));
  return transaction.commit();
}

Result<Content> Store::read() {
  Content content;
  content.ledger_read =
      static_cast<std::uint64_t>(TRY(one_integer(database_, "SELECT ledger_read FROM progress")));
  auto statement =
      TRY(database_.prepare("SELECT number, kind, state, first, last, count, jar, workspace, content, hash, "
                            "scheme, host, port, method, "
                            "who, decided, why, seen FROM proposals ORDER BY number"));
  std::vector<Proposal> proposals;
  while (TRY(statement.step()))
    proposals.push_back(TRY(proposal_of(statement)));
  auto counts = TRY(database_.prepare("SELECT jar, count FROM gave_way"));
  std::map<std::string, std::uint64_t> gave_way;
  while (TRY(counts.step()))
    gave_way[counts.text(0)] = static_cast<std::uint64_t>(counts.integer(1));
  content.queue = Queue(std::move(proposals), std::move(gave_way));
  return content;
}

Result<void> Store::write(const Content& content) {
  auto progress = TRY(database_.prepare("UPDATE progress SET ledger_read = ?"));
  progress.bind(1, static_cast<std::int64_t>(content.ledger_read));
  (void)TRY(progress.step());
  auto statement = TRY(database_.prepare(
      "INSERT OR REPLACE INTO proposals (number, kind, state, first, last, count, jar, workspace, content, "
      "hash, "
      "scheme, host, port, method, who, decided, why, seen) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"));
  for (const auto& proposal : content.queue.proposals()) {
    statement.bind(1, static_cast<std::int64_t>(proposal.number))
        .bind(2, static_cast<std::int64_t>(proposal.kind))
        .bind(3, static_cast<std::int64_t>(proposal.state))
        .bind(4, proposal.first)
        .bind(5, proposal.last)
        .bind(6, static_cast<std::int64_t>(proposal.count))
        .bind(7, proposal.jar)
        .bind(8, proposal.workspace)
        .bind(9, as_bytes(proposal.content))
        .bind(10, proposal.hash)
        .bind(11, static_cast<std::int64_t>(proposal.scheme))
        .bind(12, proposal.host)
        .bind(13, static_cast<std::int64_t>(proposal.port))
        .bind(14, proposal.method);
    if (proposal.decision)
      statement.bind(15, proposal.decision->who)
          .bind(16, proposal.decision->time)
          .bind(17, proposal.decision->why);
    statement.bind(18, static_cast<std::int64_t>(proposal.seen));
    (void)TRY(statement.step());
    statement.reset();
  }
  auto drop = TRY(database_.prepare("DELETE FROM proposals WHERE number = ?"));
  for (auto number : content.queue.dropped()) {
    drop.bind(1, static_cast<std::int64_t>(number));
    (void)TRY(drop.step());
    drop.reset();
  }
  TRY(database_.execute("DELETE FROM gave_way"));
  auto count = TRY(database_.prepare("INSERT INTO gave_way VALUES (?, ?)"));
  for (const auto& [jar, number] : content.queue.gave_way()) {
    count.bind(1, jar).bind(2, static_cast<std::int64_t>(number));
    (void)TRY(count.step());
    count.reset();
  }
  return {};
}

Result<Content> Store::load() {
  auto content = read();
  if (!content) return explained(std::move(content).error());
  return content;
}

Result<void> Store::change(const std::function<Result<void>(Content&)>& body) {
  auto begun = ledger::Transaction::begin(database_);
  if (!begun) return explained(std::move(begun).error());
  auto content = TRY(load());
  TRY(body(content));
  auto written = write(content);
  if (written) written = begun->commit();
  if (!written) return explained(std::move(written).error());
  return {};
}

}  // namespace belljar::review
