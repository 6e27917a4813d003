// FIBER_TEST: a GoogleTest case whose body is the first fiber of a loop. ASSERT_… leave the body as usual.
#pragma once

#include <functional>

#include <gtest/gtest.h>

#include "rt/loop.h"

namespace belljar::rt {

/// Runs `body` in a loop of its own, on a clock that is borrowed when given.
inline void run_test(const std::function<void()>& body, Clock* clock = nullptr) {
  RealClock real;
  Loop loop(clock != nullptr ? *clock : real);
  auto result = loop.run([&]() -> Result<void> {
    body();
    return {};
  });
  EXPECT_TRUE(result.ok());
}

}  // namespace belljar::rt

#define FIBER_TEST(suite, name)                                         \
  static void suite##_##name##_body();                                  \
  TEST(suite, name) { ::belljar::rt::run_test(suite##_##name##_body); } \
  static void suite##_##name##_body()

/// In a test body: a Result that must be good for the rest to make sense.
#define TRY_OR_FAIL(...)                                                    \
  do {                                                                      \
    auto belljar_result = (__VA_ARGS__);                                    \
    ASSERT_TRUE(belljar_result.ok()) << belljar_result.error().to_string(); \
  } while (false)

/// FIBER_TEST on a VirtualClock: deadlines pass at once when nothing else can happen.
#define VIRTUAL_TIME_TEST(suite, name)                      \
  static void suite##_##name##_body();                      \
  TEST(suite, name) {                                       \
    ::belljar::rt::VirtualClock clock;                      \
    ::belljar::rt::run_test(suite##_##name##_body, &clock); \
  }                                                         \
  static void suite##_##name##_body()
