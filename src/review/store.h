// Store: the queue on disk, DIRECTORY/review.db (SQLite). It stands outside of every jar.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "ledger/sqlite.h"
#include "review/queue.h"

namespace belljar::review {

/// The queue and how far it has read the ledger.
struct Content {
  Queue queue;
  std::uint64_t ledger_read = 0;  ///< the last sequence that was looked at
};

class Store {
 public:
  /// Opens, making what is absent; migrates an older schema, refuses a newer one (`unsupported`) and a
  /// damaged file (`malformed`, with the command that sets it aside).
  static Result<Store> open(const std::string& directory);

  /// Where it stands in `directory`; there is none before the first decision or question.
  static std::string path_in(const std::string& directory) { return directory + "/review.db"; }

  Result<Content> load();
  /// Lets `body` change the content while no other process can; written whole when it succeeds, not at all
  /// when it fails. Durable when it returns.
  Result<void> change(const std::function<Result<void>(Content&)>& body);

 private:
  Store(ledger::Database database, std::string path)
      : database_(std::move(database)), path_(std::move(path)) {}
  Result<void> migrate();
  Result<Content> read();
  Result<void> write(const Content& content);
  /// What the user can do about a file that can't be read.
  [[nodiscard]] Error explained(Error error) const;

  ledger::Database database_;
  std::string path_;
};

}  // namespace belljar::review
