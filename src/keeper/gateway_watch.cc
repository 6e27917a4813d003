#include "keeper/gateway_watch.h"

#include <utility>

#include <fmt/core.h>
#include <signal.h>

#include "rt/channel.h"
#include "rt/loop.h"
#include "rt/nursery.h"

namespace belljar::keeper {

Result<void> GatewayWatch::await_knock(const jar::Door& door) {
  rt::Nursery watchers;
  rt::Event knocked;
  for (int fd : {door.tcp.get(), door.resolver_udp.get(), door.resolver_tcp.get(), door.denied.get()}) {
    if (fd < 0) continue;  // not every kernel tells of denied packets
    watchers.start([fd, &knocked]() -> Result<void> {
      TRY(rt::await_readable(fd, rt::Deadline::never()));
      knocked.set();
      return {};
    });
  }
  return knocked.wait(rt::Deadline::never());
}

Result<void> GatewayWatch::run(jar::Door door, GatewayInputs inputs) {
  TRY(await_knock(door));
  TRY(ledger_.start(libexec_directory_));
  auto workers = start_gateway(libexec_directory_, std::move(inputs), std::move(door), ledger_);
  if (!workers) {
    // The door is closed with that: every connection of the jar is refused from now on.
    note_("the gateway could not be started: " + workers.error().to_string());
    return std::move(workers).error();
  }
  workers_ = std::move(*workers);
  state_ = "running";
  note_("the gateway was started");
  rt::Nursery watchers;
  for (auto& worker : workers_)
    watchers.start([this, &worker] { return watch_worker(worker); });
  return watchers.join();
}

Result<void> GatewayWatch::watch_worker(const Worker& worker) {
  TRY(rt::await_readable(worker.process.pidfd(), rt::Deadline::never()));
  state_ = "ended";
  auto why = last_words(worker);
  note_(fmt::format("{} ended{}; nothing leaves the jar until its next start", worker.name,
                    why.empty() ? "" : " (" + why + ")"));
  return {};
}

void GatewayWatch::end() {
  // All at once: a process that saw its neighbour end first would complain of that.
  for (const auto& worker : workers_)
    (void)worker.process.signal(SIGKILL);
  workers_.clear();
}

}  // namespace belljar::keeper
