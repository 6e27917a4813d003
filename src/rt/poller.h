// Poller: which fibers wait for which descriptors, over epoll(7). Inside of rt only.
//
// A descriptor is armed (EPOLLONESHOT) only while a fiber waits for it. So nothing is ever reported for one
// that was closed or whose number went to another file, also when a copy of the old file lives on elsewhere.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "rt/fiber.h"

namespace belljar::rt {

enum class Direction { readable, writable };

class Poller {
 public:
  Poller();

  /// Arms `fd` for the fiber. False when such a file is always ready (a regular file).
  Result<bool> add(int fd, Direction direction, Fiber& fiber);
  /// Ends the fiber's wait, if poll() has not.
  void remove(int fd, Direction direction, const Fiber& fiber);
  [[nodiscard]] std::size_t waiting() const { return waiting_; }

  /// Waits at most `timeout` milliseconds (-1: for ever) and appends the fibers whose descriptors are ready.
  void poll(int timeout, std::vector<Fiber*>& ready);

 private:
  struct Entry {
    Fiber* reader = nullptr;
    Fiber* writer = nullptr;
    std::uint32_t generation = 0;  ///< Counts armings: a report of an older one is stale.
  };
  static Fiber*& waiter(Entry& entry, Direction direction);
  Result<bool> arm(int fd, Entry& entry);
  void report(std::uint64_t tag, std::uint32_t events, std::vector<Fiber*>& ready);

  os::Fd epoll_;
  std::vector<Entry> entries_;  ///< By number: the kernel gives the lowest free ones.
  std::size_t waiting_ = 0;
};

}  // namespace belljar::rt
