#include "rt/channel.h"

#include "rt/scheduler.h"

namespace belljar::rt {

WaitList::~WaitList() { CHECK(first_ == nullptr); }  // a fiber would wait for what is no more

void WaitList::append(Node& node) {
  node.previous = last_;
  (last_ != nullptr ? last_->next : first_) = &node;
  last_ = &node;
  node.linked = true;
}

void WaitList::unlink(Node& node) {
  (node.previous != nullptr ? node.previous->next : first_) = node.next;
  (node.next != nullptr ? node.next->previous : last_) = node.previous;
  node.linked = false;
}

Wake WaitList::wait_until(Deadline deadline, bool interruptible) {
  Node node{.fiber = &Scheduler::running()};
  append(node);
  auto reason = Scheduler::current().wait(deadline, interruptible);
  if (node.linked) unlink(node);
  return reason;
}

Result<void> WaitList::wait(Deadline deadline) { return result_of(wait_until(deadline, true)); }

void WaitList::wake_one() {
  while (first_ != nullptr) {
    auto& fiber = *first_->fiber;
    unlink(*first_);
    // One whose deadline passed or that was cancelled a moment ago is only about to leave: the next one's
    // turn.
    if (Scheduler::current().wake(fiber, Wake::woken)) return;
  }
}

void WaitList::wake_all() {
  while (first_ != nullptr)
    wake_one();
}

}  // namespace belljar::rt
