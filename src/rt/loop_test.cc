#include "rt/loop.h"

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "os/fd.h"
#include "os/spawn.h"
#include "rt/channel.h"
#include "rt/nursery.h"
#include "rt/testing.h"

namespace belljar::rt {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::ElementsAre;

Deadline soon() { return Deadline::after(milliseconds(20)); }
Deadline patient() { return Deadline::after(std::chrono::seconds(10)); }

TEST(Loop, ReturnsWhatItsFirstFiberReturns) {
  Loop loop;
  EXPECT_TRUE(loop.run([]() -> Result<void> { return {}; }).ok());
  auto failed = loop.run([]() -> Result<void> { return Error(ErrorCode::malformed, "no"); });
  EXPECT_EQ(failed.error().code(), ErrorCode::malformed);
  EXPECT_FALSE(in_fiber());
}

FIBER_TEST(Loop, FibersTakeTurnsInOrder) {
  std::string order;
  Nursery nursery;
  for (char name : {'a', 'b', 'c'})
    nursery.start([&order, name]() -> Result<void> {
      for (int i = 0; i < 3; ++i) {
        order += name;
        TRY(yield());
      }
      return {};
    });
  ASSERT_TRUE(nursery.join().ok());
  EXPECT_EQ(order, "abcabcabc");
}

VIRTUAL_TIME_TEST(Loop, SleepersWakeInTheOrderOfTheirDeadlines) {
  std::vector<int> order;
  auto start = now();
  Nursery nursery;
  for (int hour : {5, 1, 4, 2, 3, 9, 7, 8, 6})
    nursery.start([&order, hour]() -> Result<void> {
      TRY(sleep(hours(hour)));
      order.push_back(hour);
      return {};
    });
  ASSERT_TRUE(nursery.join().ok());
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(now() - start, hours(9));
}

TEST(Loop, ADeadlineBeyondTimeIsNever) { EXPECT_TRUE(Deadline::after(Duration::max()).is_never()); }

VIRTUAL_TIME_TEST(Loop, VirtualTimeWaitsForDescriptorsThatAreReady) {
  auto pipe = os::create_pipe().value();
  ASSERT_EQ(::write(pipe.second.get(), "x", 1), 1);
  EXPECT_TRUE(await_readable(pipe.first.get(), Deadline::after(hours(1))).ok());
}

VIRTUAL_TIME_TEST(Loop, RunsTenThousandFibers) {
  std::size_t sum = 0;
  Nursery nursery;
  for (std::size_t i = 0; i < 10'000; ++i)
    nursery.start([&sum, i]() -> Result<void> {
      TRY(sleep(milliseconds(i % 97)));
      TRY(yield());
      sum += i;
      return {};
    });
  EXPECT_EQ(nursery.size(), 10'000U);
  ASSERT_TRUE(nursery.join().ok());
  EXPECT_EQ(sum, 10'000U * 9'999U / 2);
}

// -- descriptors
// ------------------------------------------------------------------------------------------------

FIBER_TEST(Await, ReadableWhenBytesOrTheEndArrive) {
  auto pipe = os::create_pipe().value();
  EXPECT_EQ(await_readable(pipe.first.get(), soon()).error().code(), ErrorCode::timed_out);
  Nursery nursery;
  nursery.start([&]() -> Result<void> {
    TRY(sleep(milliseconds(5)));
    return os::write_all(pipe.second.get(), as_bytes("x"));
  });
  EXPECT_TRUE(await_readable(pipe.first.get(), patient()).ok());
  char byte = 0;
  ASSERT_EQ(::read(pipe.first.get(), &byte, 1), 1);
  pipe.second.reset();
  EXPECT_TRUE(await_readable(pipe.first.get(), patient()).ok());
}

FIBER_TEST(Await, APassedDeadlineFailsAtOnce) {
  auto pipe = os::create_pipe().value();
  EXPECT_EQ(await_writable(pipe.second.get(), Deadline::at(now())).error().code(), ErrorCode::timed_out);
}

FIBER_TEST(Await, ReadingAndWritingWaitApart) {
  auto pair = os::create_socket_pair(SOCK_STREAM).value();
  ASSERT_TRUE(os::set_nonblocking(pair.first.get()).ok());
  std::array<char, 4096> block{};
  while (::write(pair.first.get(), block.data(), block.size()) > 0) {
  }
  std::string order;
  Nursery nursery;
  nursery.start([&]() -> Result<void> {
    TRY(await_readable(pair.first.get(), patient()));
    order += "r";
    return {};
  });
  nursery.start([&]() -> Result<void> {
    TRY(await_writable(pair.first.get(), patient()));
    order += "w";
    return {};
  });
  TRY_OR_FAIL(yield());
  ASSERT_EQ(::write(pair.second.get(), "x", 1), 1);
  TRY_OR_FAIL(sleep(milliseconds(5)));
  EXPECT_EQ(order, "r");
  ASSERT_TRUE(os::set_nonblocking(pair.second.get()).ok());
  while (::read(pair.second.get(), block.data(), block.size()) > 0) {
  }
  ASSERT_TRUE(nursery.join().ok());
  EXPECT_EQ(order, "rw");
}

FIBER_TEST(Await, ANumberThatWentToAnotherFileIsThatFile) {
  auto old = os::create_pipe().value();
  EXPECT_FALSE(await_readable(old.first.get(), soon()).ok());
  int number = old.first.get();
  auto copy = old.first.duplicate().value();  // keeps the old file open: epoll does not forget it by itself
  auto fresh = os::create_pipe().value();
  ASSERT_EQ(::dup2(fresh.first.get(), number), number);
  ASSERT_EQ(::write(old.second.get(), "x", 1), 1);
  EXPECT_EQ(await_readable(number, soon()).error().code(), ErrorCode::timed_out);
  ASSERT_EQ(::write(fresh.second.get(), "x", 1), 1);
  EXPECT_TRUE(await_readable(number, patient()).ok());
}

FIBER_TEST(Await, AFiredNumberThatWentToAnotherFileIsThatFile) {
  auto old = os::create_pipe().value();
  ASSERT_EQ(::write(old.second.get(), "x", 1), 1);
  ASSERT_TRUE(await_readable(old.first.get(), patient()).ok());  // stays registered, disarmed
  int number = old.first.get();
  auto copy = old.first.duplicate().value();
  auto fresh = os::create_pipe().value();
  ASSERT_EQ(::dup2(fresh.first.get(), number), number);
  ASSERT_EQ(::write(old.second.get(), "x", 1), 1);
  EXPECT_EQ(await_readable(number, soon()).error().code(), ErrorCode::timed_out);
  ASSERT_EQ(::dup2(copy.get(), number), number);
  EXPECT_TRUE(await_readable(number, patient()).ok());
}

FIBER_TEST(Await, RegularFilesAreAlwaysReady) {
  auto file = os::open_file("/proc/self/exe", O_RDONLY).value();
  EXPECT_TRUE(await_readable(file.get(), patient()).ok());
  auto null = os::open_file("/dev/null", O_RDWR).value();
  EXPECT_TRUE(await_writable(null.get(), patient()).ok());
}

FIBER_TEST(Await, WorksOnTimersEventsAndProcesses) {
  os::Fd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  itimerspec in{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = 5'000'000}};
  ASSERT_EQ(::timerfd_settime(timer.get(), 0, &in, nullptr), 0);
  EXPECT_TRUE(await_readable(timer.get(), patient()).ok());

  os::Fd event(::eventfd(0, EFD_CLOEXEC));
  EXPECT_FALSE(await_readable(event.get(), soon()).ok());
  ASSERT_EQ(::eventfd_write(event.get(), 1), 0);
  EXPECT_TRUE(await_readable(event.get(), patient()).ok());

  auto child = os::spawn({.program = "/bin/sleep", .arguments = {"sleep", "60"}}).value();
  EXPECT_FALSE(await_readable(child.pidfd(), soon()).ok());
  ASSERT_TRUE(child.signal(SIGKILL).ok());
  EXPECT_TRUE(await_readable(child.pidfd(), patient()).ok());
  EXPECT_EQ(child.wait().value().signal, SIGKILL);
}

FIBER_TEST(Await, ADescriptorThatIsNotOpenIsAnError) {
  EXPECT_EQ(await_readable(1'000, soon()).error().system_errno(), EBADF);
}

// -- stacks
// -----------------------------------------------------------------------------------------------------

int descend(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  if (depth == 0) return frame[0];
  int below = descend(depth - 1);
  return below + frame[0] * 0;
}

FIBER_TEST(Stack, HoldsDeepCalls) {
  Nursery nursery;
  nursery.start([]() -> Result<void> {
    EXPECT_EQ(descend(350), 0);  // ≈ 200 KiB
    TRY(yield());
    EXPECT_EQ(descend(350), 0);
    return {};
  });
  EXPECT_TRUE(nursery.join().ok());
}

TEST(StackDeathTest, RunningOverItEndsTheProcess) {
  EXPECT_DEATH(run_test([] { descend(1'000'000); }), "");
}

FIBER_TEST(Stack, AReusedOneStartsClean) {
  for (int i = 0; i < 100; ++i) {
    Nursery nursery;
    nursery.start([]() -> Result<void> { return descend(100) == 0 ? yield() : Result<void>(); });
    ASSERT_TRUE(nursery.join().ok());
  }
}

// -- exceptions of libraries
// ------------------------------------------------------------------------------------

FIBER_TEST(Exceptions, BelongToTheFiberThatHandlesThem) {
  std::string caught;
  Nursery nursery;
  for (const char* name : {"first", "second"})
    nursery.start([&caught, name]() -> Result<void> {
      try {
        throw std::runtime_error(name);
      } catch (const std::runtime_error&) {
        // Both fibers are in their handlers now and leave them in the order they came: not that of a stack.
        TRY(yield());
        try {
          throw;
        } catch (const std::runtime_error& again) {
          caught += again.what();
          caught += ' ';
        }
      }
      return {};
    });
  ASSERT_TRUE(nursery.join().ok());
  EXPECT_EQ(caught, "first second ");
}

// -- fairness
// ---------------------------------------------------------------------------------------------------

FIBER_TEST(Checkpoint, LetsOthersRunAndNoticesCancellation) {
  bool other_ran = false;
  Nursery nursery;
  nursery.start([]() -> Result<void> {
    for (;;)
      TRY(checkpoint());
  });
  nursery.start([&]() -> Result<void> {
    other_ran = true;
    return {};
  });
  TRY_OR_FAIL(sleep(milliseconds(5)));
  EXPECT_TRUE(other_ran);
  nursery.cancel();
  EXPECT_TRUE(nursery.join().ok());
}

TEST(LoopDeathTest, AWaitNobodyCanEndIsNotSilent) {
  EXPECT_DEATH(run_test([] {
                 Nursery nursery;
                 nursery.start([&]() -> Result<void> {
                   Event never;
                   return never.wait(Deadline::never());
                 });
                 (void)nursery.join();
               }),
               "waits for another");
}

TEST(LoopDeathTest, WaitsNeedAFiber) { EXPECT_DEATH((void)sleep(milliseconds(1)), "running loop"); }

}  // namespace
}  // namespace belljar::rt
