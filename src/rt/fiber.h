// Fiber: a function with a stack of its own, resumed by the scheduler and suspended by itself. Inside of rt
// only.
#pragma once

#include <functional>

#include <boost/context/detail/fcontext.hpp>

#include "rt/clock.h"
#include "rt/sanitizer.h"
#include "rt/stack.h"

namespace belljar::rt {

struct NurseryState;

/// Why a wait ended.
enum class Wake { woken, timed_out, cancelled };

class Fiber {
 public:
  Fiber(Stack stack, std::function<Result<void>()> body, NurseryState* owner);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber() = default;

  /// Runs it from the loop's stack until it suspends or ends.
  void resume();
  /// Leaves it, from within; returns when it is resumed.
  void suspend();
  [[nodiscard]] bool ended() const { return ended_; }
  /// For the pool, once it has ended.
  [[nodiscard]] Stack take_stack() { return std::move(stack_); }
  /// Whether its waits fail now.
  [[nodiscard]] bool is_cancelled() const { return cancelled && shields == 0; }

  // The scheduler's notes about it.
  NurseryState* owner;          ///< Null for the first fiber of a loop.
  std::size_t owner_index = 0;  ///< Its place among the owner's fibers.
  bool cancelled = false;
  unsigned shields = 0;
  bool waiting = false;
  bool interruptible = true;  ///< Whether cancelling ends the present wait.
  Wake wake = Wake::woken;
  Instant deadline{};           ///< Of the present wait, while it is in the timer heap.
  std::size_t timer_index = 0;  ///< One more than its place in the timer heap; 0 when not in it.

 private:
  static void enter(boost::context::detail::transfer_t from) noexcept;
  void run();
  [[noreturn]] void leave();

  Stack stack_;
  std::function<Result<void>()> body_;
  boost::context::detail::fcontext_t context_;
  boost::context::detail::fcontext_t loop_context_ = nullptr;
  bool ended_ = false;

  // The C++ runtime keeps the exceptions being handled per thread; each fiber needs its own.
  struct ExceptionState {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };
  void swap_exception_state();
  ExceptionState exceptions_;

  void* fake_stack_ = nullptr;
  const void* loop_stack_bottom_ = nullptr;
  std::size_t loop_stack_size_ = 0;
};

}  // namespace belljar::rt
