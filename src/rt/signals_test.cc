#include "rt/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "rt/loop.h"
#include "rt/testing.h"

namespace belljar::rt {
namespace {

using std::chrono::milliseconds;

FIBER_TEST(SignalWatch, TellsWhichSignalCame) {
  auto watch = SignalWatch::open({SIGUSR1, SIGWINCH}).value();
  EXPECT_EQ(watch.next(Deadline::after(milliseconds(5))).error().code(), ErrorCode::timed_out);
  ::kill(::getpid(), SIGWINCH);
  EXPECT_EQ(watch.next(Deadline::after(std::chrono::seconds(10))).value(), SIGWINCH);
  ::kill(::getpid(), SIGUSR1);
  EXPECT_EQ(watch.next(Deadline::after(std::chrono::seconds(10))).value(), SIGUSR1);
}

FIBER_TEST(SignalWatch, UnblocksWhenItEnds) {
  sigset_t before, after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  { auto watch = SignalWatch::open({SIGUSR2}).value(); }
  ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGUSR2), sigismember(&after, SIGUSR2));
}

}  // namespace
}  // namespace belljar::rt
