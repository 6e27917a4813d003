#include "rt/scheduler.h"

#include <algorithm>
#include <climits>
#include <utility>

namespace belljar::rt {

namespace {

// The loop that runs on this thread: what makes `await_readable(fd)` need no argument for it.
thread_local Scheduler* t_current = nullptr;

/// How often ready fibers run before descriptors are looked at again.
constexpr int kRoundsBetweenPolls = 16;
/// Checkpoints after which a fiber that never had to wait lets others run.
constexpr unsigned kStepsPerTurn = 64;

}  // namespace

Scheduler::Scheduler(Clock& clock) : clock_(clock), virtual_time_(clock.skip_to(clock.now())) {}

Scheduler* Scheduler::current_or_null() { return t_current; }

Scheduler& Scheduler::current() {
  if (t_current == nullptr) panic("this needs a running loop");
  return *t_current;
}

bool Scheduler::in_fiber() { return t_current != nullptr && t_current->running_ != nullptr; }

Fiber& Scheduler::running() {
  if (!in_fiber()) panic("this needs a fiber");
  return *t_current->running_;
}

Result<void> Scheduler::run(std::function<Result<void>()> main) {
  CHECK(t_current == nullptr);
  Result<void> outcome;
  (void)TRY(start(
      [&] {
        outcome = main();
        return Result<void>();
      },
      nullptr));
  t_current = this;
  int rounds = 0;
  while (alive_ > 0) {
    run_ready();
    if (alive_ > 0 && (ready_.empty() || ++rounds % kRoundsBetweenPolls == 0)) collect(ready_.empty());
  }
  t_current = nullptr;
  return outcome;
}

Result<Fiber*> Scheduler::start(std::function<Result<void>()> body, NurseryState* owner) {
  auto* fiber = new Fiber(TRY(stacks_.take()), std::move(body), owner);
  ++alive_;
  ready_.push_back(fiber);
  return fiber;
}

void Scheduler::run_ready() {
  batch_.swap(ready_);
  for (auto* fiber : batch_) {
    running_ = fiber;
    steps_ = 0;
    fiber->resume();
    running_ = nullptr;
    if (!fiber->ended()) continue;
    stacks_.give_back(fiber->take_stack());
    delete fiber;
    --alive_;
  }
  batch_.clear();
}

void Scheduler::collect(bool may_wait) {
  if (may_wait && timers_.empty() && poller_.waiting() == 0) panic("every fiber waits for another one");
  bool poll_first = !may_wait || (virtual_time_ && !timers_.empty());
  std::vector<Fiber*> fibers;
  poller_.poll(poll_first ? 0 : timeout_until_next(), fibers);
  for (auto* fiber : fibers)
    wake(*fiber, Wake::woken);
  // Virtual time passes only when nothing else can happen.
  if (may_wait && virtual_time_ && fibers.empty() && !timers_.empty())
    clock_.skip_to(timers_.earliest().deadline);
  expire();
}

int Scheduler::timeout_until_next() const {
  if (timers_.empty()) return -1;
  auto left = timers_.earliest().deadline - clock_.now();
  if (left <= Duration::zero()) return 0;
  auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::min<std::int64_t>(milliseconds, INT_MAX));
}

void Scheduler::expire() {
  if (timers_.empty()) return;
  auto time = clock_.now();
  while (!timers_.empty() && timers_.earliest().deadline <= time)
    wake(timers_.earliest(), Wake::timed_out);
}

bool Scheduler::wake(Fiber& fiber, Wake reason) {
  if (!fiber.waiting) return false;
  fiber.waiting = false;
  fiber.wake = reason;
  timers_.remove(fiber);
  ready_.push_back(&fiber);
  return true;
}

Wake Scheduler::wait(Deadline deadline, bool interruptible) {
  auto& self = running();
  if (interruptible && self.is_cancelled()) return Wake::cancelled;
  if (!deadline.is_never()) {
    if (clock_.now() >= deadline.instant()) return Wake::timed_out;
    self.deadline = deadline.instant();
    timers_.add(self);
  }
  self.waiting = true;
  self.interruptible = interruptible;
  self.suspend();
  return self.wake;
}

void Scheduler::yield() {
  auto& self = running();
  ready_.push_back(&self);
  self.suspend();
}

Result<void> Scheduler::wait_for(int fd, Direction direction, Deadline deadline) {
  auto& self = running();
  if (self.is_cancelled()) return result_of(Wake::cancelled);
  if (!TRY(poller_.add(fd, direction, self))) {
    yield();
    return self.is_cancelled() ? result_of(Wake::cancelled) : Result<void>();
  }
  auto reason = wait(deadline);
  if (reason != Wake::woken) poller_.remove(fd, direction, self);
  return result_of(reason);
}

void Scheduler::cancel(Fiber& fiber) {
  fiber.cancelled = true;
  if (fiber.interruptible && fiber.is_cancelled()) wake(fiber, Wake::cancelled);
}

bool Scheduler::due() { return ++steps_ % kStepsPerTurn == 0; }

Result<void> result_of(Wake wake) {
  switch (wake) {
    case Wake::woken:
      return {};
    case Wake::timed_out:
      return Error(ErrorCode::timed_out, "timed out");
    case Wake::cancelled:
      return Error(ErrorCode::cancelled, "cancelled");
  }
  return {};
}

}  // namespace belljar::rt
