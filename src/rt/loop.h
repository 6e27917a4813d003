// Loop: one epoll loop a process, running fibers one at a time on the calling thread.
//
// A fiber is a function with a stack of its own: it simply calls and returns, and is suspended only inside
// the waits below. Between two waits nothing else runs, so state shared by fibers needs no locks.
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "rt/deadline.h"

namespace belljar::rt {

class Scheduler;  // the loop's inside

class Loop {
 public:
  Loop();
  explicit Loop(Clock& clock);  ///< borrowed
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Runs `main` as the first fiber and returns its result once it and all it started have ended. A panic
  /// when every fiber waits for another one.
  Result<void> run(std::function<Result<void>()> main);

 private:
  std::unique_ptr<Scheduler> scheduler_;
};

/// Whether the caller is a fiber: everything below needs one (a panic otherwise).
bool in_fiber();

/// Lets every other runnable fiber run first.
Result<void> yield();
/// For loops that may never have to wait: fails when cancelled, and lets the others run every now and then.
Result<void> checkpoint();
/// Suspends this fiber for a time; cancelled when its nursery closes.
Result<void> sleep(Duration duration);

/// Suspends until the descriptor can be read (or has an error or end to report). Errors: timed_out,
/// cancelled. A descriptor may have one fiber waiting to read and one waiting to write at a time, and stays
/// open meanwhile. Regular files are always ready; pidfds, eventfds, timerfds, signalfds and listeners work
/// as poll(2) says.
Result<void> await_readable(int fd, Deadline deadline);
Result<void> await_writable(int fd, Deadline deadline);

}  // namespace belljar::rt
