// Deadline: the instant after which a wait gives up with ErrorCode::timed_out. Every wait takes one.
#pragma once

#include <algorithm>

#include "rt/clock.h"

namespace belljar::rt {

class Deadline {
 public:
  /// A duration that goes beyond what an Instant can hold is for ever.
  static Deadline after(Duration duration) {
    auto start = now();
    return Deadline(duration < Instant::max() - start ? start + duration : Instant::max());
  }
  static Deadline at(Instant instant) { return Deadline(instant); }
  /// For waits whose end is somebody else's: a listener's accept, a person's decision.
  static Deadline never() { return Deadline(Instant::max()); }

  [[nodiscard]] Instant instant() const { return instant_; }
  [[nodiscard]] bool is_never() const { return instant_ == Instant::max(); }
  [[nodiscard]] bool passed() const { return !is_never() && now() >= instant_; }
  [[nodiscard]] Deadline earlier(Deadline other) const {
    return Deadline(std::min(instant_, other.instant_));
  }

 private:
  explicit Deadline(Instant instant) : instant_(instant) {}
  Instant instant_;
};

}  // namespace belljar::rt
