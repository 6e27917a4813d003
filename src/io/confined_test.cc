// The runtime within a confined worker: what os::confine() leaves is enough for fibers, timers and streams.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/fd_stream.h"
#include "io/pump.h"
#include "os/confine.h"
#include "rt/nursery.h"
#include "rt/signals.h"

namespace belljar::io {
namespace {

using std::chrono::milliseconds;

/// One pair: a fiber writes, another pumps it back, a third watches for signals; deadlines everywhere.
Result<void> exchange() {
  auto deadline = rt::Deadline::after(std::chrono::seconds(10));
  auto pair = TRY(os::create_socket_pair(SOCK_STREAM));
  auto here = TRY(open_fd_stream(std::move(pair.first)));
  auto there = TRY(open_fd_stream(std::move(pair.second)));
  here->set_deadline(deadline);
  there->set_deadline(deadline);
  rt::Nursery nursery;
  nursery.start([&]() -> Result<void> {
    (void)TRY(pump(*there, *there));
    return {};
  });
  nursery.start([&]() -> Result<void> {
    TRY(here->write(Bytes(500'000, 'x')));
    return here->close_write();
  });
  Bytes buffer(10'000);
  std::size_t total = 0;
  while (auto count = TRY(here->read_some(buffer)))
    total += count;
  TRY(nursery.join());
  if (total != 500'000) return Error(ErrorCode::internal, "bytes got lost");
  return {};
}

Result<void> work() {
  (void)TRY(os::confine({.socket_pairs = true}));
  rt::Loop loop;
  return loop.run([]() -> Result<void> {
    auto signals = TRY(rt::SignalWatch::open({SIGTERM}));
    rt::Nursery nursery;
    for (int i = 0; i < 100; ++i)
      nursery.start(exchange);
    TRY(nursery.join());
    TRY(rt::sleep(milliseconds(5)));
    ::kill(::getpid(), SIGTERM);
    auto number = TRY(signals.next(rt::Deadline::after(std::chrono::seconds(10))));
    return number == SIGTERM ? Result<void>() : Error(ErrorCode::internal, "another signal");
  });
}

TEST(ConfinedWorker, RunsFibersStreamsAndTimers) {
  pid_t child = ::fork();
  if (child == 0) {
    auto result = work();
    if (!result.ok()) {
      auto text = result.error().to_string() + "\n";
      (void)!::write(2, text.data(), text.size());
    }
    ::_exit(result.ok() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace belljar::io
