// What a nursery knows of its fibers. Inside of rt only.
#pragma once

#include <optional>
#include <vector>

#include "base/error.h"
#include "rt/channel.h"

namespace belljar::rt {

class Fiber;

struct NurseryState {
  std::vector<Fiber*> fibers;  ///< Those that have not ended.
  std::optional<Error> failure;
  bool cancelled = false;
  WaitList joiners;

  void add(Fiber& fiber);
  void ended(Fiber& fiber, Result<void> result);
  void fail(Error error);
  void cancel();
};

}  // namespace belljar::rt
