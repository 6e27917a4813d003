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
  for (Backoff backoff;; ++restarts_) {
    TRY(serve_once(door, inputs));
    end();
    auto pause = backoff.next(rt::now());
    if (!pause) break;
    state_ = "restarting";
    TRY(rt::sleep(*pause));
  }
  // The door is closed with this return.
  state_ = "refused";
  note_(fmt::format(
      "the gateway has ended {} times within a minute; nothing leaves the jar until its next start",
      Backoff::kMost + 1));
  return {};
}

/// One gateway from its start to its end. Only being cancelled is an error.
Result<void> GatewayWatch::serve_once(const jar::Door& door, const GatewayInputs& inputs) {
  auto workers = start_gateway(libexec_directory_, inputs, door, ledger_);
  if (!workers) {
    note_("the gateway could not be started: " + workers.error().to_string());
    return {};
  }
  workers_ = std::move(*workers);
  state_ = "running";
  note_(restarts_ == 0 ? "the gateway was started" : "the gateway was started anew");
  note_(TRY(await_end()));
  return {};
}

/// Who ended first, and why.
Result<std::string> GatewayWatch::await_end() {
  rt::Nursery watchers;
  rt::Event ended;
  std::string what;
  for (const auto& worker : workers_)
    watchers.start([&]() -> Result<void> {
      TRY(rt::await_readable(worker.process.pidfd(), rt::Deadline::never()));
      auto why = last_words(worker);
      if (!ended.is_set()) what = worker.name + " ended" + (why.empty() ? "" : " (" + why + ")");
      ended.set();
      return {};
    });
  TRY(ended.wait(rt::Deadline::never()));
  return what;
}

void GatewayWatch::replace() {
  // All at once: a process that saw its neighbour end first would complain of that.
  for (const auto& worker : workers_)
    (void)worker.process.signal(SIGKILL);
}

void GatewayWatch::end() {
  replace();
  workers_.clear();
}

}  // namespace belljar::keeper
