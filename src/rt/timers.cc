#include "rt/timers.h"

#include <utility>

namespace belljar::rt {

void TimerHeap::put(std::size_t place, Fiber* fiber) {
  heap_[place] = fiber;
  fiber->timer_index = place + 1;
}

void TimerHeap::add(Fiber& fiber) {
  CHECK(fiber.timer_index == 0);
  heap_.push_back(nullptr);
  put(heap_.size() - 1, &fiber);
  sift_up(heap_.size() - 1);
}

void TimerHeap::remove(Fiber& fiber) {
  if (fiber.timer_index == 0) return;
  std::size_t place = fiber.timer_index - 1;
  fiber.timer_index = 0;
  Fiber* last = heap_.back();
  heap_.pop_back();
  if (last == &fiber) return;
  put(place, last);
  sift_up(place);
  sift_down(last->timer_index - 1);
}

void TimerHeap::sift_up(std::size_t place) {
  Fiber* fiber = heap_[place];
  while (place > 0) {
    std::size_t parent = (place - 1) / 2;
    if (heap_[parent]->deadline <= fiber->deadline) break;
    put(place, heap_[parent]);
    place = parent;
  }
  put(place, fiber);
}

void TimerHeap::sift_down(std::size_t place) {
  Fiber* fiber = heap_[place];
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1]->deadline < heap_[child]->deadline) ++child;
    if (fiber->deadline <= heap_[child]->deadline) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, fiber);
}

}  // namespace belljar::rt
