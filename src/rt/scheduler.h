// Scheduler: runs the fibers of one loop. Inside of rt only; everybody else uses loop.h, nursery.h,
// channel.h.
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "rt/clock.h"
#include "rt/deadline.h"
#include "rt/fiber.h"
#include "rt/poller.h"
#include "rt/timers.h"

namespace belljar::rt {

class Scheduler {
 public:
  explicit Scheduler(Clock& clock);

  /// The one whose loop runs on this thread; null outside a loop.
  static Scheduler* current_or_null();
  static Scheduler& current();
  /// The fiber that runs now; a panic when none does.
  static Fiber& running();
  static bool in_fiber();

  Result<void> run(std::function<Result<void>()> main);
  /// Makes a fiber that runs when the present one next waits.
  Result<Fiber*> start(std::function<Result<void>()> body, NurseryState* owner);

  /// Suspends the running fiber until it is woken, its deadline passes or, when interruptible, it is
  /// cancelled.
  Wake wait(Deadline deadline, bool interruptible = true);
  /// Lets the others run first.
  void yield();
  Result<void> wait_for(int fd, Direction direction, Deadline deadline);
  /// Ends its wait; false when it does not wait (any more).
  bool wake(Fiber& fiber, Wake reason);
  void cancel(Fiber& fiber);
  /// See rt::checkpoint().
  bool due();
  [[nodiscard]] const Clock& clock() const { return clock_; }

 private:
  void run_ready();
  void collect(bool may_wait);
  void expire();
  [[nodiscard]] int timeout_until_next() const;

  Clock& clock_;
  bool virtual_time_;
  Poller poller_;
  TimerHeap timers_;
  StackPool stacks_;
  std::vector<Fiber*> ready_;
  std::vector<Fiber*> batch_;  ///< Those being run now.
  std::size_t alive_ = 0;
  Fiber* running_ = nullptr;
  unsigned steps_ = 0;  ///< Checkpoints of the running fiber since it was resumed.
};

/// What a wait's end means to its caller.
Result<void> result_of(Wake wake);

}  // namespace belljar::rt
