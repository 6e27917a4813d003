// SignalWatch: signals as something a fiber waits for, instead of code that runs in between.
#pragma once

#include <initializer_list>

#include <signal.h>

#include "base/result.h"
#include "os/fd.h"
#include "rt/deadline.h"

namespace belljar::rt {

/// Blocks its signals for this thread while it lives (started programs must not inherit the mask: os::spawn
/// clears it). Children that end are better awaited by their pidfds.
class SignalWatch {
 public:
  static Result<SignalWatch> open(std::initializer_list<int> signals);
  ~SignalWatch();
  SignalWatch(SignalWatch&& other) noexcept;
  SignalWatch& operator=(SignalWatch&&) = delete;

  /// The number of the next signal. Several of one number may arrive as one.
  Result<int> next(Deadline deadline);

 private:
  SignalWatch(os::Fd fd, const sigset_t& previous) : fd_(std::move(fd)), previous_(previous) {}
  os::Fd fd_;
  sigset_t previous_;
};

}  // namespace belljar::rt
