#include "proxy/throttle.h"

#include <algorithm>
#include <utility>

namespace belljar::proxy {

namespace {
constexpr std::size_t kMaxKeys = 4096;
}

bool Throttle::admit(std::string_view key, rt::Instant now) {
  auto elapsed = std::chrono::duration<double>(now - refilled_).count();
  if (refilled_ != rt::Instant{}) tokens_ = std::min(burst_, tokens_ + elapsed * per_second_);
  refilled_ = now;
  std::string text(key);
  auto seen = seen_.find(text);
  bool repeated = seen != seen_.end() && now - seen->second < repeat_;
  if (repeated || tokens_ < 1) {
    ++suppressed_;
    return false;
  }
  tokens_ -= 1;
  if (seen == seen_.end() && seen_.size() >= kMaxKeys) seen_.clear();  // bounded; a repeat more is no harm
  seen_[text] = now;
  return true;
}

std::uint64_t Throttle::take_suppressed() { return std::exchange(suppressed_, 0); }

}  // namespace belljar::proxy
