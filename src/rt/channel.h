// Channel<T>: a bounded queue between fibers of one loop; Event: a one-shot flag to wait for.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "base/result.h"
#include "rt/deadline.h"

namespace belljar::rt {

class Fiber;
enum class Wake;

/// Fibers that wait for something, woken by others in the order they came; the base of what is below.
class WaitList {
 public:
  WaitList() = default;
  /// A panic while a fiber waits in it.
  ~WaitList();
  WaitList(const WaitList&) = delete;
  WaitList& operator=(const WaitList&) = delete;

  /// Until woken. Being woken promises nothing about the state that was waited for: check it again.
  Result<void> wait(Deadline deadline);
  void wake_one();
  void wake_all();

 private:
  friend class Nursery;
  struct Node {
    Fiber* fiber;
    Node* previous = nullptr;
    Node* next = nullptr;
    bool linked = false;
  };
  void append(Node& node);
  void unlink(Node& node);
  Wake wait_until(Deadline deadline, bool interruptible);

  Node* first_ = nullptr;
  Node* last_ = nullptr;
};

/// Set once, stays set.
class Event {
 public:
  void set() {
    set_ = true;
    waiters_.wake_all();
  }
  [[nodiscard]] bool is_set() const { return set_; }
  Result<void> wait(Deadline deadline) {
    while (!set_)
      TRY(waiters_.wait(deadline));
    return {};
  }

 private:
  bool set_ = false;
  WaitList waiters_;
};

/// Values in the order they were sent; any number of fibers on both sides. `capacity` is at least 1.
template <typename T>
class Channel {
 public:
  explicit Channel(std::size_t capacity) : capacity_(capacity) {}

  /// Waits while full. `closed` once closed.
  Result<void> send(T value, Deadline deadline) {
    while (!closed_ && queue_.size() >= capacity_)
      TRY(senders_.wait(deadline));
    if (closed_) return Error(ErrorCode::closed, "the channel is closed");
    queue_.push_back(std::move(value));
    receivers_.wake_one();
    return {};
  }

  /// The next value; nothing once closed and empty.
  Result<std::optional<T>> receive(Deadline deadline) {
    while (queue_.empty() && !closed_)
      TRY(receivers_.wait(deadline));
    if (queue_.empty()) return std::optional<T>{};
    std::optional<T> value(std::move(queue_.front()));
    queue_.pop_front();
    senders_.wake_one();
    return value;
  }

  void close() {
    closed_ = true;
    senders_.wake_all();
    receivers_.wake_all();
  }

 private:
  std::size_t capacity_;
  std::deque<T> queue_;
  bool closed_ = false;
  WaitList senders_;
  WaitList receivers_;
};

}  // namespace belljar::rt
