#include "rt/nursery.h"

#include <utility>

#include "rt/nursery_state.h"
#include "rt/scheduler.h"

namespace belljar::rt {

void NurseryState::add(Fiber& fiber) {
  fiber.owner_index = fibers.size();
  fibers.push_back(&fiber);
  fiber.cancelled = cancelled;
}

void NurseryState::ended(Fiber& fiber, Result<void> result) {
  fibers[fiber.owner_index] = fibers.back();
  fibers[fiber.owner_index]->owner_index = fiber.owner_index;
  fibers.pop_back();
  if (!result.ok()) fail(std::move(result).error());
  if (fibers.empty()) joiners.wake_all();
}

void NurseryState::fail(Error error) {
  // A cancelled fiber that says so has done what it was told.
  if (cancelled && error.code() == ErrorCode::cancelled) return;
  if (!failure) failure = std::move(error);
  cancel();
}

void NurseryState::cancel() {
  cancelled = true;
  for (auto* fiber : fibers)
    Scheduler::current().cancel(*fiber);
}

Nursery::Nursery() : state_(std::make_unique<NurseryState>()) {}

Nursery::~Nursery() {
  if (state_->fibers.empty()) return;
  cancel();
  (void)join();
}

void Nursery::start(std::function<Result<void>()> body) {
  auto fiber = Scheduler::current().start(std::move(body), state_.get());
  if (fiber.ok())
    state_->add(**fiber);
  else
    state_->fail(std::move(fiber).error());
}

Result<void> Nursery::join() {
  bool interrupted = false;
  while (!state_->fibers.empty()) {
    CHECK(Scheduler::running().owner != state_.get());  // it would wait for itself
    auto wake = state_->joiners.wait_until(Deadline::never(), !interrupted && !state_->cancelled);
    if (wake != Wake::cancelled) continue;
    // The caller is being cancelled, so what it waits for is as well; but nobody leaves before they have
    // ended.
    interrupted = true;
    cancel();
  }
  if (state_->failure) return *std::exchange(state_->failure, std::nullopt);
  return interrupted ? result_of(Wake::cancelled) : Result<void>();
}

void Nursery::cancel() { state_->cancel(); }
std::size_t Nursery::size() const { return state_->fibers.size(); }

Shield::Shield() { ++Scheduler::running().shields; }
Shield::~Shield() { --Scheduler::running().shields; }

}  // namespace belljar::rt
