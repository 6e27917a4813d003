#include "ledger/sqlite.h"

#include <cerrno>

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "os/fd.h"

namespace belljar::ledger {

namespace {

constexpr int kBusyMilliseconds = 5000;

Error error_of(sqlite3* database, int code) {
  auto kind = ErrorCode::system;
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      kind = ErrorCode::timed_out;
      break;
    case SQLITE_FULL:
      kind = ErrorCode::limit_exceeded;
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      kind = ErrorCode::malformed;
      break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
      kind = ErrorCode::permission_denied;
      break;
    default:
      break;
  }
  std::string message = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  const char* path = database != nullptr ? sqlite3_db_filename(database, "main") : nullptr;
  return Error(kind, std::string(path != nullptr ? path : "a database") + ": " + message);
}

}  // namespace

void Statement::Finalise::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Statement& Statement::bind(int parameter, std::int64_t value) {
  if (int code = sqlite3_bind_int64(statement_.get(), parameter, value); code != SQLITE_OK)
    failed_bind_ = code;
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view value) {
  int code = sqlite3_bind_text64(statement_.get(), parameter, value.data(), value.size(), SQLITE_TRANSIENT,
                                 SQLITE_UTF8);  // NOLINT
  if (code != SQLITE_OK) failed_bind_ = code;
  return *this;
}

Statement& Statement::bind(int parameter, BytesView value) {
  int code = sqlite3_bind_blob64(statement_.get(), parameter, value.data(), value.size(),
                                 SQLITE_TRANSIENT);  // NOLINT
  if (code != SQLITE_OK) failed_bind_ = code;
  return *this;
}

Result<bool> Statement::step() {
  if (failed_bind_ != 0) return error_of(nullptr, failed_bind_);
  int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return error_of(sqlite3_db_handle(statement_.get()), code);
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  failed_bind_ = 0;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string Statement::text(int column) const {
  const auto* text = sqlite3_column_text(statement_.get(), column);
  auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return text == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(text), size);
}

Bytes Statement::bytes(int column) const {
  const auto* bytes = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_.get(), column));
  auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return bytes == nullptr ? Bytes() : Bytes(bytes, bytes + size);
}

Result<Database> Database::open(const std::string& path, bool create) {
  // SQLite would create the file with the process's mask; the ledger is the user's alone. A file that is
  // there is not opened here: closing it would drop the locks that another connection of this process has on
  // it.
  if (create) {
    auto made = os::open_file(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (!made && made.error().code() != ErrorCode::already_exists) return std::move(made).error();
  } else if (::access(path.c_str(), F_OK) < 0) {
    return Error::from_errno(errno, "open " + path);
  }
  sqlite3* opened = nullptr;
  int code = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(opened);
  if (code != SQLITE_OK) return error_of(opened, code);
  sqlite3_busy_timeout(opened, kBusyMilliseconds);
  sqlite3_extended_result_codes(opened, 1);
  return database;
}

Result<Database> Database::open_in_memory() {
  sqlite3* opened = nullptr;
  int code = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(opened);
  if (code != SQLITE_OK) return error_of(opened, code);
  return database;
}

Result<void> Database::execute(const std::string& sql) {
  int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error_of(database_.get(), code);
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  int code =
      sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return error_of(database_.get(), code);
  return Statement(statement);
}

Result<Transaction> Transaction::begin(Database& database) {
  TRY(database.execute("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  // A failed rollback means that SQLite has rolled back already.
  if (database_ != nullptr) (void)database_->execute("ROLLBACK");
}

Result<void> Transaction::commit() {
  TRY(database_->execute("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace belljar::ledger
