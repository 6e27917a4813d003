// belljar-proxy: faces one jar. It reads everything that the jar sends and holds nothing worth stealing: no
// network, no file, no credential; what it may ask for goes to scan.
#include <fmt/core.h>

#include "base/log.h"
#include "gateway/setup.h"
#include "gateway/worker.h"
#include "os/confine.h"
#include "proxy/context.h"
#include "proxy/datagrams.h"
#include "proxy/door.h"
#include "proxy/resolver.h"
#include "rt/nursery.h"

namespace belljar {
namespace {

Result<void> serve(gateway::ProxySetup& setup, tls::LeafMint& mint, proxy::KeptNames::Opened& kept) {
  gateway::LinkOpener scan(TRY(io::MessageSocket::open(std::move(setup.scan))));
  auto recorder = TRY(ledger::FiberRecorder::open(std::move(setup.ledger)));
  proxy::Context context{
      .policy = setup.policy, .names = kept.pool, .mint = mint, .scan = scan, .recorder = *recorder};
  proxy::Resolver resolver(setup.policy, kept.pool, *recorder, &kept.kept);

  rt::Nursery nursery;
  nursery.start([&] { return proxy::serve_door(context, std::move(setup.tcp)).context("the door"); });
  nursery.start([&] { return resolver.serve_udp(std::move(setup.resolver_udp)).context("the resolver"); });
  nursery.start([&] { return resolver.serve_tcp(std::move(setup.resolver_tcp)).context("the resolver"); });
  nursery.start([&] { return resolver.report_suppressed(); });
  if (setup.datagrams)
    nursery.start([&]() -> Result<void> {
      auto ended = proxy::record_datagrams(std::move(setup.datagrams), *recorder);
      if (!ended.ok()) log::warning("the packet log: {}", ended.error().to_string());  // only a log
      return {};
    });
  return nursery.join();
}

Result<int> run() {
  auto setup = TRY(gateway::receive_proxy_setup(gateway::kControlFd));
  auto authority = TRY(tls::CertificateAuthority::load(setup.ca_certificate, setup.ca_key));
  setup.ca_key = Secret();
  auto mint = TRY(tls::LeafMint::create(std::move(authority)));
  auto kept = TRY(proxy::KeptNames::open(std::move(setup.names)));
  TRY(os::confine({.network = false, .socket_pairs = true, .accept = true}));
  return gateway::run_worker("belljar-proxy", [&] { return serve(setup, mint, kept); });
}

}  // namespace
}  // namespace belljar

int main() {
  belljar::log::start("proxy");
  auto code = belljar::run();
  if (code.ok()) return *code;
  fmt::print(stderr, "belljar-proxy: {}\n", code.error().to_string());
  return 1;
}
