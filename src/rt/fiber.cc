#include "rt/fiber.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include <cxxabi.h>

#include "rt/nursery_state.h"

namespace belljar::rt {

namespace context = boost::context::detail;

Fiber::Fiber(Stack stack, std::function<Result<void>()> body, NurseryState* owning)
    : owner(owning),
      stack_(std::move(stack)),
      body_(std::move(body)),
      context_(context::make_fcontext(stack_.top(), Stack::size(), &Fiber::enter)) {}

void Fiber::resume() {
  void* fake_stack = nullptr;
  swap_exception_state();
  before_switch(&fake_stack, stack_.bottom(), Stack::size());
  context_ = context::jump_fcontext(context_, this).fctx;
  after_switch(fake_stack, nullptr, nullptr);
  swap_exception_state();
}

void Fiber::suspend() {
  before_switch(&fake_stack_, loop_stack_bottom_, loop_stack_size_);
  loop_context_ = context::jump_fcontext(loop_context_, nullptr).fctx;
  after_switch(fake_stack_, &loop_stack_bottom_, &loop_stack_size_);
}

void Fiber::enter(context::transfer_t from) noexcept {
  auto* fiber = static_cast<Fiber*>(from.data);
  fiber->loop_context_ = from.fctx;
  after_switch(nullptr, &fiber->loop_stack_bottom_, &fiber->loop_stack_size_);
  fiber->run();
  fiber->leave();
}

void Fiber::run() {
  auto outcome = body_();
  // What the body holds may wait while it is dropped, so that happens while this still is a fiber.
  body_ = nullptr;
  if (owner != nullptr) owner->ended(*this, std::move(outcome));
}

void Fiber::leave() {
  ended_ = true;
  before_switch(nullptr, loop_stack_bottom_, loop_stack_size_);
  context::jump_fcontext(loop_context_, nullptr);
  std::abort();  // an ended fiber is never resumed
}

void Fiber::swap_exception_state() {
  // The Itanium C++ ABI fixes the layout of __cxa_eh_globals: these two members.
  auto* current = reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals());
  std::swap(*current, exceptions_);
}

}  // namespace belljar::rt
