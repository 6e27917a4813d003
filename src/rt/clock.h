// Time as the runtime sees it: monotonic, replaceable by a virtual clock in tests.
#pragma once

#include <chrono>

namespace belljar::rt {

using Duration = std::chrono::nanoseconds;
/// Monotonic; its zero means nothing.
using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant now() const = 0;
  /// A virtual clock jumps to `when` and answers true; the real one answers false and the loop waits.
  virtual bool skip_to(Instant when) = 0;
};

/// CLOCK_MONOTONIC.
class RealClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return std::chrono::steady_clock::now(); }
  bool skip_to(Instant) override { return false; }
};

/// Stands still while any fiber can run; when all wait, it jumps to the next deadline.
class VirtualClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return now_; }
  bool skip_to(Instant when) override {
    if (when > now_) now_ = when;
    return true;
  }

 private:
  Instant now_{};
};

/// The time of the running loop's clock; of the real clock outside a loop.
Instant now();

}  // namespace belljar::rt
