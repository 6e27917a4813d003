// TimerHeap: the waits that have a deadline, earliest first. Inside of rt only.
#pragma once

#include <vector>

#include "rt/fiber.h"

namespace belljar::rt {

/// A binary heap whose items know their place, so that a wait that ends early leaves at once: a connection
/// with a long deadline waits many thousand times before it passes.
class TimerHeap {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] Fiber& earliest() const { return *heap_.front(); }
  /// By `fiber.deadline`; a fiber is in it at most once.
  void add(Fiber& fiber);
  /// Nothing happens when it is not in it.
  void remove(Fiber& fiber);

 private:
  void put(std::size_t place, Fiber* fiber);
  void sift_up(std::size_t place);
  void sift_down(std::size_t place);
  std::vector<Fiber*> heap_;
};

}  // namespace belljar::rt
