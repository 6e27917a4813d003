// belljar-scan: stands between proxy and egress. No network, no file; egress takes requests from nobody else.
#include <fmt/core.h>

#include "base/log.h"
#include "gateway/link.h"
#include "gateway/setup.h"
#include "gateway/worker.h"
#include "os/confine.h"
#include "scan/relay.h"

namespace belljar {
namespace {

Result<void> serve(gateway::ScanSetup& setup) {
  gateway::LinkListener proxy(TRY(io::MessageSocket::open(std::move(setup.proxy))));
  gateway::LinkOpener egress(TRY(io::MessageSocket::open(std::move(setup.egress))));
  return scan::serve_proxy(proxy, egress);
}

Result<int> run() {
  auto setup = TRY(gateway::receive_scan_setup(gateway::kControlFd));
  TRY(os::confine({.network = false, .socket_pairs = true}));
  return gateway::run_worker("belljar-scan", [&] { return serve(setup); });
}

}  // namespace
}  // namespace belljar

int main() {
  belljar::log::start("scan");
  auto code = belljar::run();
  if (code.ok()) return *code;
  fmt::print(stderr, "belljar-scan: {}\n", code.error().to_string());
  return 1;
}
