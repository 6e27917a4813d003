#include "gateway/worker.h"

#include <cerrno>

#include <fmt/core.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gateway/setup.h"
#include "rt/loop.h"
#include "rt/nursery.h"

namespace belljar::gateway {

namespace {

/// Returns when the starter is gone. Nothing else is expected on the socket after the setup.
Result<void> await_end_of_control() {
  char byte = 0;
  while (true) {
    TRY(rt::await_readable(kControlFd, rt::Deadline::never()));
    auto count = ::recv(kControlFd, &byte, 1, MSG_DONTWAIT);
    if (count > 0) continue;
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) return {};
  }
}

}  // namespace

int run_worker(std::string_view name, std::function<Result<void>()> serve) {
  bool ended_by_starter = false;
  rt::Loop loop;
  auto outcome = loop.run([&]() -> Result<void> {
    rt::Nursery nursery;
    nursery.start([&]() -> Result<void> {
      auto ended = await_end_of_control();
      ended_by_starter = ended.ok();
      nursery.cancel();
      return {};
    });
    nursery.start([&]() -> Result<void> {
      auto served = serve();
      nursery.cancel();
      return served;
    });
    return nursery.join();
  });
  if (outcome.ok() || ended_by_starter) return 0;
  auto line = fmt::format("{}: {}\n", name, outcome.error().to_string());
  return ::write(STDERR_FILENO, line.data(), line.size()) < 0 ? 2 : 1;
}

}  // namespace belljar::gateway
