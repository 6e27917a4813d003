#include "rt/loop.h"

#include <utility>

#include "rt/scheduler.h"

namespace belljar::rt {

namespace {

Clock& real_clock() {
  static RealClock clock;  // no state: one does for all
  return clock;
}

}  // namespace

Loop::Loop() : Loop(real_clock()) {}
Loop::Loop(Clock& clock) : scheduler_(std::make_unique<Scheduler>(clock)) {}
Loop::~Loop() = default;

Result<void> Loop::run(std::function<Result<void>()> main) { return scheduler_->run(std::move(main)); }

Instant now() {
  auto* scheduler = Scheduler::current_or_null();
  return scheduler != nullptr ? scheduler->clock().now() : real_clock().now();
}

bool in_fiber() { return Scheduler::in_fiber(); }

Result<void> yield() {
  auto& self = Scheduler::running();
  if (!self.is_cancelled()) Scheduler::current().yield();
  return self.is_cancelled() ? result_of(Wake::cancelled) : Result<void>();
}

Result<void> checkpoint() {
  auto& self = Scheduler::running();
  if (self.is_cancelled()) return result_of(Wake::cancelled);
  return Scheduler::current().due() ? yield() : Result<void>();
}

Result<void> sleep(Duration duration) {
  auto wake = Scheduler::current().wait(Deadline::after(duration));
  return wake == Wake::timed_out ? Result<void>() : result_of(wake);
}

Result<void> await_readable(int fd, Deadline deadline) {
  return Scheduler::current().wait_for(fd, Direction::readable, deadline);
}

Result<void> await_writable(int fd, Deadline deadline) {
  return Scheduler::current().wait_for(fd, Direction::writable, deadline);
}

}  // namespace belljar::rt
