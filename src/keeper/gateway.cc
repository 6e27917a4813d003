#include "keeper/gateway.h"

#include <cerrno>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gateway/setup.h"

namespace belljar::keeper {

namespace {

constexpr const char* kSystemBundle = "/etc/ssl/certs/ca-certificates.crt";

/// A file that may be absent: then the resolver has nothing from it.
std::string read_or_empty(const char* path) {
  auto text = os::read_file(path, 4U << 20);
  return text ? std::move(*text) : std::string();
}

/// Empty: none.
std::string chosen_trust_store() {
  const char* chosen = std::getenv("SSL_CERT_FILE");
  return chosen != nullptr ? chosen : "";
}

Result<Secret> read_key(const os::Fd& file) {
  if (::lseek(file.get(), 0, SEEK_SET) < 0) return Error::from_errno(errno, "read the authority's key");
  return Secret(TRY(os::read_all(file.get(), 64U << 10)));
}

}  // namespace

Result<std::string> read_trust_store(const config::WrittenByJars& written) {
  constexpr std::size_t kMaxTrustStore = 16U << 20;
  auto chosen = chosen_trust_store();
  auto text = chosen.empty() ? os::read_file(kSystemBundle, kMaxTrustStore)
                             : config::read_placed(chosen, "SSL_CERT_FILE", kMaxTrustStore, written);
  if (!text && text.error().code() == ErrorCode::permission_denied && text.error().system_errno() == 0)
    return text;
  return std::move(text)
      .context("reading the certificates that this host trusts")
      .hint("sudo apt-get install ca-certificates");
}

Result<void> check_trust_store(const config::WrittenByJars& written) {
  auto chosen = chosen_trust_store();
  if (chosen.empty()) return {};
  auto text = read_trust_store(written);
  if (!text && text.error().code() == ErrorCode::permission_denied && text.error().system_errno() == 0)
    return std::move(text).error();
  return {};  // what else is wrong with it is no reason not to start: nothing leaves then, and that is told
}

Result<GatewayInputs> make_gateway_inputs(policy::Policy policy, Authority authority) {
  GatewayInputs inputs{.policy = std::move(policy), .ca_certificate = std::move(authority.certificate)};
  inputs.ca_key = TRY(os::create_sealed_file("authority", as_bytes(authority.key.reveal())));
  inputs.names = os::Fd(::memfd_create("names", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (!inputs.names || ::ftruncate(inputs.names.get(), gateway::kNamesFileSize) < 0 ||
      ::fcntl(inputs.names.get(), F_ADD_SEALS, kSeals) < 0)
    return Error::from_errno(errno, "create the file of names");
  return inputs;
}

Result<std::vector<Worker>> start_gateway(const std::string& libexec_directory, const GatewayInputs& inputs,
                                          const jar::Door& door, Ledger& ledger) {
  auto proxy_scan = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  auto scan_egress = TRY(os::create_socket_pair(SOCK_SEQPACKET));

  auto egress = TRY(start_worker(libexec_directory, "egress"));
  gateway::EgressSetup egress_setup{.policy = inputs.policy,
                                    .trust_store = TRY(read_trust_store(inputs.written_by_jars)),
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
  gateway::ProxySetup proxy_setup{.policy = inputs.policy,
                                  .ca_certificate = inputs.ca_certificate,
                                  .ca_key = TRY(read_key(inputs.ca_key)),
                                  .tcp = TRY(door.tcp.duplicate()),
                                  .resolver_udp = TRY(door.resolver_udp.duplicate()),
                                  .resolver_tcp = TRY(door.resolver_tcp.duplicate()),
                                  .scan = std::move(proxy_scan.first),
                                  .ledger = TRY(ledger.open_appender("proxy")),
                                  .names = TRY(inputs.names.duplicate())};
  if (door.denied) proxy_setup.datagrams = TRY(door.denied.duplicate());
  TRY(gateway::send_setup(proxy.control.get(), proxy_setup));

  std::vector<Worker> workers;
  workers.push_back(std::move(proxy));
  workers.push_back(std::move(scan));
  workers.push_back(std::move(egress));
  return workers;
}

}  // namespace belljar::keeper
