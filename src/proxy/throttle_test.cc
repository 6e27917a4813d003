#include "proxy/throttle.h"

#include <gtest/gtest.h>

namespace belljar::proxy {
namespace {

constexpr rt::Instant kStart{std::chrono::hours(1)};

TEST(Throttle, TakesABurstAndThenARate) {
  Throttle throttle(3, 2, rt::Duration::zero());
  int admitted = 0;
  for (int i = 0; i < 10; ++i)
    admitted += throttle.admit(std::to_string(i), kStart) ? 1 : 0;
  EXPECT_EQ(admitted, 3);
  EXPECT_EQ(throttle.take_suppressed(), 7U);
  EXPECT_EQ(throttle.take_suppressed(), 0U);
  EXPECT_FALSE(throttle.admit("x", kStart + std::chrono::milliseconds(400)));
  EXPECT_TRUE(throttle.admit("x", kStart + std::chrono::milliseconds(600)));
  EXPECT_FALSE(throttle.admit("y", kStart + std::chrono::milliseconds(600)));
}

TEST(Throttle, AKeyComesOnceInAWhile) {
  Throttle throttle(100, 100, std::chrono::minutes(1));
  EXPECT_TRUE(throttle.admit("a", kStart));
  EXPECT_FALSE(throttle.admit("a", kStart + std::chrono::seconds(59)));
  EXPECT_TRUE(throttle.admit("b", kStart + std::chrono::seconds(59)));
  EXPECT_TRUE(throttle.admit("a", kStart + std::chrono::seconds(61)));
}

}  // namespace
}  // namespace belljar::proxy
