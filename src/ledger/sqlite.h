// SQLite behind owners: a database connection and a prepared statement. Nothing else of the project calls the
// C API.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace belljar::ledger {

class Statement {
 public:
  /// Parameters count from 1; texts and bytes are copied.
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view value);
  Statement& bind(int parameter, BytesView value);

  /// Whether there is a row. A failed bind comes out here.
  Result<bool> step();
  /// Ready to be bound and stepped again.
  void reset();

  /// Of the current row; columns count from 0.
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] Bytes bytes(int column) const;

 private:
  friend class Database;
  struct Finalise {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  std::unique_ptr<sqlite3_stmt, Finalise> statement_;
  int failed_bind_ = 0;
};

class Database {
 public:
  /// Opens, or creates (mode 0600) when `create`; not_found when absent and not to be created. Waits up to
  /// five seconds for the locks of other processes.
  static Result<Database> open(const std::string& path, bool create);
  /// One without a file, gone with its owner.
  static Result<Database> open_in_memory();

  /// Runs statements that have no rows.
  Result<void> execute(const std::string& sql);
  Result<Statement> prepare(std::string_view sql);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* database) : database_(database) {}
  std::unique_ptr<sqlite3, Close> database_;
};

/// Rolls back unless committed.
class Transaction {
 public:
  /// BEGIN IMMEDIATE: no other process writes until this ends.
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace belljar::ledger
