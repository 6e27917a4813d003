// Throttle: keeps a flood of equal events out of the ledger and counts what it kept out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "rt/clock.h"

namespace belljar::proxy {

class Throttle {
 public:
  /// At most `burst` events at once and `per_second` over time, and each key once in `repeat`.
  Throttle(double burst, double per_second, rt::Duration repeat)
      : burst_(burst), per_second_(per_second), repeat_(repeat), tokens_(burst) {}

  /// Whether this event is to be recorded now; otherwise it is counted.
  bool admit(std::string_view key, rt::Instant now);
  /// How many were kept out since the last call.
  std::uint64_t take_suppressed();

 private:
  double burst_;
  double per_second_;
  rt::Duration repeat_;
  double tokens_;
  rt::Instant refilled_{};
  std::unordered_map<std::string, rt::Instant> seen_;
  std::uint64_t suppressed_ = 0;
};

}  // namespace belljar::proxy
