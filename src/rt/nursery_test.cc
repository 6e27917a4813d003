#include "rt/nursery.h"

#include <string>

#include <gtest/gtest.h>

#include "os/fd.h"
#include "rt/channel.h"
#include "rt/testing.h"

namespace belljar::rt {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

/// Sleeps practically for ever and notes how that ended.
std::function<Result<void>()> sleeper(std::string& notes) {
  return [&notes]() -> Result<void> {
    auto result = sleep(hours(24));
    notes += result.ok() ? "slept " : std::string(name_of(result.error().code())) + " ";
    return result;
  };
}

FIBER_TEST(Nursery, LeavingTheScopeCancelsAndJoins) {
  std::string notes;
  {
    Nursery nursery;
    nursery.start(sleeper(notes));
    nursery.start(sleeper(notes));
    TRY_OR_FAIL(yield());
    EXPECT_EQ(notes, "");
  }
  EXPECT_EQ(notes, "cancelled cancelled ");
}

FIBER_TEST(Nursery, AFiberThatNeverRanStillRunsCancelled) {
  std::string notes;
  {
    Nursery nursery;
    nursery.start(sleeper(notes));
  }
  EXPECT_EQ(notes, "cancelled ");
}

FIBER_TEST(Nursery, TheFirstFailureCountsAndCancelsTheOthers) {
  std::string notes;
  Nursery nursery;
  nursery.start(sleeper(notes));
  nursery.start([]() -> Result<void> { return Error(ErrorCode::malformed, "first"); });
  nursery.start([]() -> Result<void> { return Error(ErrorCode::internal, "second"); });
  auto result = nursery.join();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message(), "first");
  EXPECT_EQ(notes, "cancelled ");
  EXPECT_EQ(nursery.size(), 0U);
}

FIBER_TEST(Nursery, BeingCancelledOnRequestIsNoFailure) {
  std::string notes;
  Nursery nursery;
  nursery.start(sleeper(notes));
  TRY_OR_FAIL(yield());
  nursery.cancel();
  EXPECT_TRUE(nursery.join().ok());
  EXPECT_EQ(notes, "cancelled ");
}

FIBER_TEST(Nursery, CancellingReachesNestedOnes) {
  std::string notes;
  Nursery outer;
  outer.start([&]() -> Result<void> {
    Nursery inner;
    inner.start([&]() -> Result<void> {
      Nursery innermost;
      innermost.start(sleeper(notes));
      return innermost.join();
    });
    inner.start(sleeper(notes));
    auto result = inner.join();
    notes += result.ok() ? "joined" : name_of(result.error().code());
    return result;
  });
  TRY_OR_FAIL(sleep(milliseconds(2)));
  outer.cancel();
  EXPECT_TRUE(outer.join().ok());
  EXPECT_EQ(notes, "cancelled cancelled cancelled");
}

FIBER_TEST(Nursery, EveryWaitOfACancelledFiberFails) {
  auto pipe = os::create_pipe().value();
  int failures = 0;
  Nursery nursery;
  nursery.start([&]() -> Result<void> {
    auto count = [&](const Result<void>& result) {
      if (!result.ok() && result.error().code() == ErrorCode::cancelled) ++failures;
    };
    Event event;
    Channel<int> channel(1);
    auto hour = Deadline::after(hours(1));
    count(await_readable(pipe.first.get(), hour));  // it is here when it happens
    count(await_readable(pipe.first.get(), hour));
    count(await_writable(pipe.second.get(), hour));
    count(sleep(milliseconds(1)));
    count(yield());
    count(checkpoint());
    count(event.wait(hour));
    if (auto got = channel.receive(hour); !got.ok()) count(std::move(got).error());
    return {};
  });
  TRY_OR_FAIL(yield());
  nursery.cancel();
  ASSERT_TRUE(nursery.join().ok());
  EXPECT_EQ(failures, 8);
}

FIBER_TEST(Nursery, AWaitCancelledWhileItsDescriptorGetsReadyEndsOnce) {
  // Cancelled and ready at once, many times over: whichever comes first, the other must find nothing to end.
  for (int round = 0; round < 100; ++round) {
    auto pipe = os::create_pipe().value();
    Nursery nursery;
    nursery.start(
        [&]() -> Result<void> { return await_readable(pipe.first.get(), Deadline::after(hours(1))); });
    for (int i = 0; i <= round % 20; ++i)
      TRY_OR_FAIL(yield());
    ASSERT_TRUE(os::write_all(pipe.second.get(), as_bytes("x")).ok());
    nursery.cancel();
    ASSERT_TRUE(nursery.join().ok());
    Nursery again;
    again.start(
        [&]() -> Result<void> { return await_readable(pipe.first.get(), Deadline::after(hours(1))); });
    ASSERT_TRUE(again.join().ok());
  }
}

FIBER_TEST(Nursery, FibersMayStartSiblings) {
  int started = 0;
  Nursery nursery;
  std::function<Result<void>()> body = [&]() -> Result<void> {
    if (++started < 50) nursery.start(body);
    return yield();
  };
  nursery.start(body);
  ASSERT_TRUE(nursery.join().ok());
  EXPECT_EQ(started, 50);
}

FIBER_TEST(Nursery, WhatABodyHoldsIsDroppedWithinItsFiber) {
  struct Waiting {
    bool& in_fiber_then;
    explicit Waiting(bool& flag) : in_fiber_then(flag) {}
    ~Waiting() { in_fiber_then = yield().ok() && in_fiber(); }
  };
  bool waited = false;
  Nursery nursery;
  nursery.start([held = std::make_shared<Waiting>(waited)]() -> Result<void> { return {}; });
  ASSERT_TRUE(nursery.join().ok());
  EXPECT_TRUE(waited);
}

FIBER_TEST(Shield, HoldsCancellationOffForALastWord) {
  std::string notes;
  Nursery nursery;
  nursery.start([&]() -> Result<void> {
    auto result = sleep(hours(1));
    {
      Shield shield;
      if (sleep(milliseconds(1)).ok()) notes += "said ";
    }
    if (!yield().ok()) notes += "cancelled";
    return result;
  });
  TRY_OR_FAIL(yield());
  nursery.cancel();
  ASSERT_TRUE(nursery.join().ok());
  EXPECT_EQ(notes, "said cancelled");
}

}  // namespace
}  // namespace belljar::rt
