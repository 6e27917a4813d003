#include "keeper/gateway.h"

#include <cstdlib>
#include <utility>

#include <sys/socket.h>

#include "gateway/setup.h"

namespace belljar::keeper {

namespace {

constexpr const char* kSystemBundle = "/etc/ssl/certs/ca-certificates.crt";

/// A file that may be absent: then the resolver has nothing from it.
std::string read_or_empty(const char* path) {
  auto text = os::read_file(path, 4U << 20);
  return text ? std::move(*text) : std::string();
}

}  // namespace

Result<std::string> read_trust_store() {
  const char* chosen = std::getenv("SSL_CERT_FILE");
  return os::read_file(chosen != nullptr && *chosen != '\0' ? chosen : kSystemBundle)
      .context("reading the certificates that this host trusts")
      .hint("sudo apt-get install ca-certificates");
}

Result<std::vector<Worker>> start_gateway(const std::string& libexec_directory, GatewayInputs inputs,
                                          jar::Door door, Ledger& ledger) {
  auto proxy_scan = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  auto scan_egress = TRY(os::create_socket_pair(SOCK_SEQPACKET));

  auto egress = TRY(start_worker(libexec_directory, "egress"));
  gateway::EgressSetup egress_setup{.policy = inputs.policy,
                                    .trust_store = TRY(read_trust_store()),
                                    .resolv_conf = read_or_empty("/etc/resolv.conf"),
                                    .hosts = read_or_empty("/etc/hosts"),
                                    .scan = std::move(scan_egress.second),
                                    .ledger = TRY(ledger.open_appender("egress"))};
  TRY(gateway::send_setup(egress.control.get(), egress_setup));

  auto scan = TRY(start_worker(libexec_directory, "scan"));
  gateway::ScanSetup scan_setup{.proxy = std::move(proxy_scan.second),
                                .egress = std::move(scan_egress.first)};
  TRY(gateway::send_setup(scan.control.get(), scan_setup));

  auto proxy = TRY(start_worker(libexec_directory, "proxy"));
  gateway::ProxySetup proxy_setup{.policy = std::move(inputs.policy),
                                  .ca_certificate = std::move(inputs.ca_certificate),
                                  .ca_key = std::move(inputs.ca_key),
                                  .tcp = std::move(door.tcp),
                                  .resolver_udp = std::move(door.resolver_udp),
                                  .resolver_tcp = std::move(door.resolver_tcp),
                                  .scan = std::move(proxy_scan.first),
                                  .ledger = TRY(ledger.open_appender("proxy")),
                                  .datagrams = std::move(door.denied)};
  TRY(gateway::send_setup(proxy.control.get(), proxy_setup));

  std::vector<Worker> workers;
  workers.push_back(std::move(proxy));
  workers.push_back(std::move(scan));
  workers.push_back(std::move(egress));
  return workers;
}

}  // namespace belljar::keeper
