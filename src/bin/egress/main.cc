// belljar-egress: faces the internet for one jar. It judges every request again, dials only checked addresses
// and has no files.
#include <fmt/core.h>

#include "base/log.h"
#include "egress/answer.h"
#include "gateway/setup.h"
#include "gateway/worker.h"
#include "net/network.h"
#include "os/confine.h"
#include "rt/nursery.h"

namespace belljar {
namespace {

constexpr std::size_t kMaxLinks = 1024;

Result<void> serve_links(gateway::LinkListener& scan, egress::Context& context) {
  rt::Nursery links;
  while (true) {
    std::shared_ptr<gateway::Link> link = TRY(scan.accept());
    if (!link) return Error(ErrorCode::closed, "scan is gone");
    if (links.size() >= kMaxLinks) continue;
    links.start([&context, link]() -> Result<void> {
      egress::serve_link(context, *link);
      return {};
    });
  }
}

Result<void> serve(gateway::EgressSetup& setup, egress::NameService& names, tls::TrustStore& trust) {
  gateway::LinkListener scan(TRY(io::MessageSocket::open(std::move(setup.scan))));
  auto recorder = TRY(ledger::FiberRecorder::open(std::move(setup.ledger)));
  net::DirectNetwork network;
  egress::Dialer dialer(setup.policy, names, network, trust);
  egress::Pool pool;
  egress::Context context{.policy = setup.policy, .dialer = dialer, .pool = pool, .recorder = *recorder};

  rt::Nursery nursery;
  nursery.start([&] { return names.run().context("asking name servers"); });
  nursery.start([&] { return pool.expire(); });
  nursery.start([&] { return serve_links(scan, context); });
  return nursery.join();
}

Result<int> run() {
  auto setup = TRY(gateway::receive_egress_setup(gateway::kControlFd));
  auto names = TRY(egress::NameService::create(setup.resolv_conf, setup.hosts));
  auto trust = TRY(tls::TrustStore::from_pem(setup.trust_store).context("the host's trusted certificates"));
  TRY(os::confine({.network = true}));
  return gateway::run_worker("belljar-egress", [&] { return serve(setup, names, trust); });
}

}  // namespace
}  // namespace belljar

int main() {
  belljar::log::start("egress");
  auto code = belljar::run();
  if (code.ok()) return *code;
  fmt::print(stderr, "belljar-egress: {}\n", code.error().to_string());
  return 1;
}
