#include "ledger/group_commit.h"

#include "base/log.h"
#include "ledger/server.h"
#include "rt/loop.h"

namespace belljar::ledger {

namespace {

constexpr auto kGroupTime = std::chrono::milliseconds(kGroupMilliseconds);
constexpr auto kRetryTime = std::chrono::seconds(1);

}  // namespace

GroupCommit::GroupCommit(std::function<Result<Store>()> open) : open_(std::move(open)) {}

void GroupCommit::add(Entry entry) {
  pending_.push_back({.entry = std::move(entry), .done = {}});
  if (pending_.size() == 1 || is_full()) changed_.wake_all();
}

void GroupCommit::add_durable(Entry entry, Done done) {
  pending_.push_back({.entry = std::move(entry), .done = std::move(done)});
  ++waiting_;
  changed_.wake_all();
}

void GroupCommit::refuse_waiting(const std::string& why) {
  // What waits was not promised to anybody; what was accepted is kept and tried again.
  std::vector<Pending> kept;
  for (auto& pending : std::exchange(pending_, {})) {
    if (pending.done)
      pending.done(why);
    else
      kept.push_back(std::move(pending));
  }
  pending_ = std::move(kept);
  waiting_ = 0;
}

Result<void> GroupCommit::flush() {
  if (pending_.empty() && store_ && !failure_) return {};
  if (!store_) {
    auto opened = open_();
    if (!opened) {
      failure_ = opened.error().to_string();
      refuse_waiting(*failure_);
      return std::move(opened).error();
    }
    store_.emplace(std::move(opened).value());
  }
  std::vector<Entry> group;
  for (const auto& pending : pending_)
    group.push_back(pending.entry);
  auto written = store_->append(group);
  if (!written) {
    failure_ = written.error().to_string();
    store_.reset();
    refuse_waiting(*failure_);
    return written;
  }
  failure_.reset();
  waiting_ = 0;
  for (const auto& pending : std::exchange(pending_, {}))
    if (pending.done) pending.done({});
  return {};
}

Result<void> GroupCommit::run() {
  while (true) {
    if (failure_) {
      TRY(rt::sleep(kRetryTime));
    } else if (pending_.empty()) {
      TRY(changed_.wait(rt::Deadline::never()));
    }
    // A group waits for company: as long as it may when nobody waits for it, else for those who can run now.
    auto deadline = rt::Deadline::after(kGroupTime);
    while (waiting_ == 0 && !is_full() && !failure_) {
      auto more = changed_.wait(deadline);
      if (!more && more.error().code() == ErrorCode::timed_out) break;
      TRY(std::move(more));
    }
    TRY(rt::yield());
    auto written = flush();
    if (!written) log::warning("{}", written.error().to_string());
  }
}

}  // namespace belljar::ledger
