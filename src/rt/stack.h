// Stacks of fibers: reserved address space of a fixed size, used page by page, with a guard below; pooled.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"

namespace belljar::rt {

/// One mapping: a guard region at the bottom, the stack above it. Running over the guard ends the process.
class Stack {
 public:
  static Result<Stack> create();
  Stack(Stack&& other) noexcept;
  Stack& operator=(Stack&& other) noexcept;
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack();

  /// The highest address: where the stack starts growing down.
  [[nodiscard]] void* top() const;
  /// The lowest usable address.
  [[nodiscard]] void* bottom() const;
  [[nodiscard]] static std::size_t size();

 private:
  explicit Stack(std::byte* mapping) : mapping_(mapping) {}
  std::byte* mapping_ = nullptr;
};

/// Keeps a few ended fibers' stacks for the next ones.
class StackPool {
 public:
  Result<Stack> take();
  void give_back(Stack stack);

 private:
  std::vector<Stack> idle_;
};

}  // namespace belljar::rt
