#include "egress/upstream.h"

#include <algorithm>

#include "rt/loop.h"

namespace belljar::egress {

std::unique_ptr<Upstream> Pool::take(const Origin& origin) {
  for (auto idle = idle_.end(); idle != idle_.begin();) {
    --idle;
    if (idle->upstream->origin != origin) continue;
    auto upstream = std::move(idle->upstream);
    idle = idle_.erase(idle);
    if (!upstream->is_quiet()) continue;
    upstream->reused = true;
    return upstream;
  }
  return nullptr;
}

void Pool::put(std::unique_ptr<Upstream> upstream) {
  auto same = [&](const Idle& idle) { return idle.upstream->origin == upstream->origin; };
  if (std::count_if(idle_.begin(), idle_.end(), same) >= static_cast<std::ptrdiff_t>(kMaxIdlePerOrigin))
    idle_.erase(std::find_if(idle_.begin(), idle_.end(), same));
  if (idle_.size() >= kMaxIdle) idle_.pop_front();
  upstream->stream().set_deadline(rt::Deadline::never());
  idle_.push_back({.upstream = std::move(upstream), .since = rt::now()});
}

Result<void> Pool::expire() {
  while (true) {
    TRY(rt::sleep(std::chrono::seconds(10)));
    while (!idle_.empty() && rt::now() - idle_.front().since > kIdle)
      idle_.pop_front();
  }
}

}  // namespace belljar::egress
