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
  accepted_.push_back(std::move(entry));
  if (accepted_.size() == 1 || accepted_.size() >= kMaxAccepted) changed_.wake_all();
}

void GroupCommit::add_durable(Entry entry, Done done) {
  durable_.push_back(std::move(entry));
  waiting_.push_back(std::move(done));
  changed_.wake_all();
}

void GroupCommit::refuse_waiting(const std::string& why) {
  // What waits was not promised to anybody; what was accepted is kept and tried again.
  auto waiting = std::exchange(waiting_, {});
  durable_.clear();
  for (const auto& done : waiting)
    done(why);
}

Result<void> GroupCommit::flush() {
  if (accepted_.empty() && durable_.empty() && store_ && !failure_) return {};
  if (!store_) {
    auto opened = open_();
    if (!opened) {
      failure_ = opened.error().to_string();
      refuse_waiting(*failure_);
      return std::move(opened).error();
    }
    store_.emplace(std::move(opened).value());
  }
  auto group = accepted_;
  group.insert(group.end(), durable_.begin(), durable_.end());
  auto written = store_->append(group);
  if (!written) {
    failure_ = written.error().to_string();
    store_.reset();
    refuse_waiting(*failure_);
    return written;
  }
  failure_.reset();
  accepted_.clear();
  durable_.clear();
  for (const auto& done : std::exchange(waiting_, {}))
    done({});
  return {};
}

Result<void> GroupCommit::run() {
  while (true) {
    if (failure_) {
      TRY(rt::sleep(kRetryTime));
    } else if (durable_.empty() && accepted_.empty()) {
      TRY(changed_.wait(rt::Deadline::never()));
    }
    // A group waits for company: as long as it may when nobody waits for it, else for those who can run now.
    auto deadline = rt::Deadline::after(kGroupTime);
    while (durable_.empty() && accepted_.size() < kMaxAccepted && !failure_) {
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
