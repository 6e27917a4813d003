#include "scan/relay.h"

#include "base/log.h"
#include "rt/nursery.h"

namespace belljar::scan {

namespace {

constexpr auto kStall = std::chrono::minutes(15);  // longer than the ends wait, so that they give the reason

/// Its end is the end of the exchange: the asking side is gone.
Result<void> move_requests(gateway::Link& proxy, gateway::Link& egress) {
  while (true) {
    auto frame = TRY(proxy.receive(rt::Deadline::never()));
    if (!frame) return Error(ErrorCode::closed, "the proxy closed the link");
    // Egress may have answered before it had read everything, and closed: the answer must still get through.
    if (!egress.send(*frame, rt::Deadline::after(kStall)).ok()) return {};
  }
}

Result<void> move_answers(gateway::Link& egress, gateway::Link& proxy) {
  while (true) {
    auto frame = TRY(egress.receive(rt::Deadline::never()));
    if (!frame) return Error(ErrorCode::closed, "egress closed the link");
    TRY(proxy.send(*frame, rt::Deadline::after(kStall)));
  }
}

Result<void> serve_link(gateway::Link& proxy, gateway::LinkOpener& opener) {
  auto egress = TRY(opener.open());
  relay(proxy, *egress);
  return {};
}

}  // namespace

void relay(gateway::Link& proxy, gateway::Link& egress) {
  rt::Nursery both;
  both.start([&] { return move_requests(proxy, egress); });
  both.start([&] { return move_answers(egress, proxy); });
  auto ended = both.join();  // a failure of one direction ends the other
  if (!ended.ok()) log::debug("a link: {}", ended.error().to_string());
  proxy.close();
  egress.close();
}

Result<void> serve_proxy(gateway::LinkListener& proxy, gateway::LinkOpener& egress) {
  rt::Nursery links;
  while (true) {
    auto link = TRY(proxy.accept());
    if (!link) return {};
    if (links.size() >= kMaxLinks) continue;  // dropped: the proxy reads the end
    links.start([&egress, shared = std::shared_ptr<gateway::Link>(std::move(link))]() -> Result<void> {
      auto served = serve_link(*shared, egress);
      if (!served.ok()) log::warning("no link to egress: {}", served.error().to_string());
      return {};
    });
  }
}

}  // namespace belljar::scan
