// GroupCommit: collects what fibers append and writes it to the store in groups, one commit for many.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/store.h"
#include "rt/channel.h"

namespace belljar::ledger {

class GroupCommit {
 public:
  /// Called when an entry is durable (empty) or refused (why).
  using Done = std::function<void(const std::string& refusal)>;

  /// `open` is called for the store, again after a failure.
  explicit GroupCommit(std::function<Result<Store>()> open);

  /// Why nothing can be taken at the moment: the store failed and what it should have had is still here.
  [[nodiscard]] const std::optional<std::string>& failure() const { return failure_; }

  /// Whether those who append should let the writer run first.
  [[nodiscard]] bool is_full() const { return pending_.size() >= kMaxPending; }

  /// Takes an entry that is written within kGroupMilliseconds.
  void add(Entry entry);
  /// Takes an entry that is written as soon as the fibers that can run have run; `done` may be called at
  /// once.
  void add_durable(Entry entry, Done done);

  /// Writes groups until cancelled. For a fiber of its own.
  Result<void> run();
  /// Writes all there is, now.
  Result<void> flush();

 private:
  /// Entries beyond this are written at once.
  static constexpr std::size_t kMaxPending = 1024;

  struct Pending {
    Entry entry;
    Done done;  ///< empty when nobody waits for it
  };

  void refuse_waiting(const std::string& why);

  std::function<Result<Store>()> open_;
  std::optional<Store> store_;
  std::vector<Pending> pending_;  ///< in the order of their coming
  std::size_t waiting_ = 0;       ///< how many of them somebody waits for
  std::optional<std::string> failure_;
  rt::WaitList changed_;
};

}  // namespace belljar::ledger
