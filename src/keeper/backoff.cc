#include "keeper/backoff.h"

namespace belljar::keeper {

std::optional<rt::Duration> Backoff::next(rt::Instant now) {
  constexpr auto kFirst = std::chrono::milliseconds(20);
  while (!crashes_.empty() && now - crashes_.front() > kOfLate)
    crashes_.pop_front();
  crashes_.push_back(now);
  if (crashes_.size() > kMost) return std::nullopt;
  // The first at once, as who uses it waits; then doubled each time, to a second and a quarter.
  if (crashes_.size() == 1) return rt::Duration::zero();
  return rt::Duration(kFirst) * (1 << (crashes_.size() - 2));
}

}  // namespace belljar::keeper
