#include "rt/channel.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "rt/nursery.h"
#include "rt/testing.h"

namespace belljar::rt {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

Deadline hour() { return Deadline::after(hours(1)); }

VIRTUAL_TIME_TEST(Channel, BlocksItsSenderWhenFull) {
  Channel<int> channel(2);
  std::string order;
  Nursery nursery;
  nursery.start([&]() -> Result<void> {
    for (int i = 0; i < 5; ++i) {
      TRY(channel.send(i, hour()));
      order += "s" + std::to_string(i) + " ";
    }
    channel.close();
    return {};
  });
  nursery.start([&]() -> Result<void> {
    TRY(sleep(milliseconds(1)));
    for (;;) {
      auto value = TRY(channel.receive(hour()));
      if (!value) return {};
      order += "r" + std::to_string(*value) + " ";
      TRY(sleep(milliseconds(1)));
    }
  });
  ASSERT_TRUE(nursery.join().ok());
  EXPECT_EQ(order, "s0 s1 r0 s2 r1 s3 r2 s4 r3 r4 ");
}

FIBER_TEST(Channel, ClosedTellsBothSides) {
  Channel<std::unique_ptr<int>> channel(1);
  ASSERT_TRUE(channel.send(std::make_unique<int>(7), hour()).ok());
  channel.close();
  EXPECT_EQ(channel.send(nullptr, hour()).error().code(), ErrorCode::closed);
  EXPECT_EQ(*channel.receive(hour()).value().value(), 7);
  EXPECT_FALSE(channel.receive(hour()).value().has_value());
}

VIRTUAL_TIME_TEST(Channel, WaitsEndWithTheirDeadline) {
  Channel<int> channel(1);
  EXPECT_EQ(channel.receive(hour()).error().code(), ErrorCode::timed_out);
  ASSERT_TRUE(channel.send(1, hour()).ok());
  EXPECT_EQ(channel.send(2, hour()).error().code(), ErrorCode::timed_out);
}

VIRTUAL_TIME_TEST(Channel, AWakingIsNotLostOnOneThatGaveUp) {
  // At the same instant: the first receiver's deadline passes, a sender sends, the second receiver waits on.
  Channel<int> channel(1);
  bool received = false;
  Nursery nursery;
  nursery.start([&]() -> Result<void> {
    TRY(sleep(milliseconds(1)));
    return channel.send(1, hour());
  });
  nursery.start([&]() -> Result<void> {
    EXPECT_FALSE(channel.receive(Deadline::after(milliseconds(1))).ok());
    return {};
  });
  nursery.start([&]() -> Result<void> {
    received = TRY(channel.receive(hour())).has_value();
    return {};
  });
  ASSERT_TRUE(nursery.join().ok());
  EXPECT_TRUE(received);
}

VIRTUAL_TIME_TEST(Event, WakesAllAndStaysSet) {
  Event event;
  int woken = 0;
  Nursery nursery;
  for (int i = 0; i < 3; ++i)
    nursery.start([&]() -> Result<void> {
      TRY(event.wait(hour()));
      ++woken;
      return {};
    });
  TRY_OR_FAIL(yield());
  EXPECT_EQ(woken, 0);
  event.set();
  ASSERT_TRUE(nursery.join().ok());
  EXPECT_EQ(woken, 3);
  EXPECT_TRUE(event.wait(hour()).ok());
}

}  // namespace
}  // namespace belljar::rt
