#include "keeper/backoff.h"

#include <gtest/gtest.h>

namespace belljar::keeper {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Backoff, WaitsLongerEachTimeAndThenGivesUp) {
  Backoff backoff;
  rt::Instant now{};
  EXPECT_EQ(backoff.next(now), milliseconds(0));
  EXPECT_EQ(backoff.next(now), milliseconds(20));
  EXPECT_EQ(backoff.next(now), milliseconds(40));
  for (std::size_t n = 3; n < Backoff::kMost; ++n)
    EXPECT_TRUE(backoff.next(now).has_value());
  EXPECT_FALSE(backoff.next(now).has_value());
}

TEST(Backoff, ForgetsWhatWasLongAgo) {
  Backoff backoff;
  rt::Instant now{};
  for (int n = 0; n < 100; ++n, now += seconds(20))
    EXPECT_TRUE(backoff.next(now).has_value()) << n;
}

}  // namespace
}  // namespace belljar::keeper
