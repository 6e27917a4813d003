#include "proxy/datagrams.h"

#include <fmt/core.h>

#include "base/log.h"
#include "jar/denied.h"
#include "proxy/throttle.h"
#include "rt/loop.h"

namespace belljar::proxy {

namespace {

constexpr auto kReport = std::chrono::seconds(10);

void append(ledger::Recorder& recorder, std::string reason) {
  ledger::Event event;
  event.kind = ledger::Kind::datagram;
  event.verdict = "deny";
  event.reason = std::move(reason);
  auto appended = recorder.record(event, ledger::Durability::none);
  if (!appended.ok()) log::warning("a datagram was not recorded: {}", appended.error().to_string());
}

}  // namespace

Result<void> record_datagrams(os::Fd log, ledger::Recorder& recorder) {
  TRY(os::set_nonblocking(log.get()));
  Throttle recorded(32, 4, std::chrono::minutes(1));
  std::uint64_t suppressed = 0;
  while (true) {
    auto readable =
        rt::await_readable(log.get(), suppressed == 0 ? rt::Deadline::never() : rt::Deadline::after(kReport));
    if (!readable.ok() && readable.error().code() == ErrorCode::timed_out) {
      append(recorder, fmt::format("{} more packets turned away", std::exchange(suppressed, 0)));
      continue;
    }
    TRY(std::move(readable));
    while (auto packet = TRY(jar::read_denied(log.get()))) {
      auto what = packet->to_string();
      if (recorded.admit(what, rt::now()))
        append(recorder, what + " was turned away: only TCP by name passes the door");
      TRY(rt::checkpoint());
    }
    suppressed += recorded.take_suppressed();
  }
}

}  // namespace belljar::proxy
