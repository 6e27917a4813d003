// Backoff: how long to wait before what has crashed is started again, and when not to any more.
#pragma once

#include <deque>
#include <optional>

#include "rt/clock.h"

namespace belljar::keeper {

class Backoff {
 public:
  /// It crashed now: the pause before the next start, or nothing when it has crashed too often of late.
  std::optional<rt::Duration> next(rt::Instant now);

  static constexpr std::size_t kMost = 8;  ///< crashes within …
  static constexpr auto kOfLate = std::chrono::minutes(1);

 private:
  std::deque<rt::Instant> crashes_;
};

}  // namespace belljar::keeper
