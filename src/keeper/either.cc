#include "keeper/either.h"

#include "base/log.h"
#include "rt/nursery.h"

namespace belljar::keeper {

void run_either(const std::function<Result<void>()>& first, const std::function<Result<void>()>& second) {
  rt::Nursery both;
  for (const auto* body : {&first, &second})
    both.start([body, &both]() -> Result<void> {
      auto done = (*body)();
      if (!done && done.error().code() != ErrorCode::cancelled)
        log::debug("a command: {}", done.error().to_string());
      both.cancel();
      return {};
    });
  (void)both.join();
}

}  // namespace belljar::keeper
