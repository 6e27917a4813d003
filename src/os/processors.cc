#include "os/processors.h"

#include <sched.h>

namespace belljar::os {

void begin_elsewhere(const Pid& child) {
  cpu_set_t allowed{};
  auto own = ::sched_getcpu();
  // Fails where there are more processors than the set holds.
  if (own < 0 || ::sched_getaffinity(0, sizeof allowed, &allowed) < 0) return;
  auto others = allowed;
  CPU_CLR(static_cast<unsigned>(own), &others);
  if (CPU_COUNT(&others) == 0) return;
  // The first moves it, the second does not move it back.
  if (::sched_setaffinity(child.number(), sizeof others, &others) == 0)
    (void)::sched_setaffinity(child.number(), sizeof allowed, &allowed);
}

}  // namespace belljar::os
