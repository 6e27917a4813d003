#include "gateway/setup.h"

#include <array>
#include <vector>

#include "os/passing.h"
#include "wire/codec.h"

namespace belljar::gateway {

namespace {

constexpr std::size_t kMaxSetup = 64U << 20;

/// Which process a setup is for: a mistake of the starter is named, not worked with.
enum class Role : std::uint8_t { proxy = 1, scan = 2, egress = 3 };

Result<void> send(int control, Role role, BytesView values, std::vector<int> sockets) {
  auto file = TRY(os::create_sealed_file("setup", values));
  sockets.insert(sockets.begin(), file.get());
  std::array<std::uint8_t, 1> message = {static_cast<std::uint8_t>(role)};
  return os::send_message(control, message, sockets).context("sending a setup");
}

struct Received {
  std::string values;
  std::vector<os::Fd> sockets;
};

Result<Received> receive(int control, Role role, std::size_t minimum, std::size_t maximum) {
  auto message = TRY(os::receive_message(control).context("receiving the setup"));
  if (!message) return Error(ErrorCode::closed, "the starter went away before the setup");
  if (message->bytes.size() != 1 || message->bytes[0] != static_cast<std::uint8_t>(role))
    return Error(ErrorCode::malformed, "a setup for another process");
  if (message->fds.size() < minimum + 1 || message->fds.size() > maximum + 1)
    return Error(ErrorCode::malformed, "a setup with the wrong number of descriptors");
  Received received;
  received.values = TRY(os::read_all(message->fds[0].get(), kMaxSetup).context("reading the setup"));
  for (std::size_t i = 1; i < message->fds.size(); ++i)
    received.sockets.push_back(std::move(message->fds[i]));
  return received;
}

Result<policy::Policy> take_policy(wire::Decoder& in) { return policy::decode(TRY(in.bytes())); }

}  // namespace

Result<void> send_setup(int control, const ProxySetup& setup) {
  wire::Encoder out;
  out.bytes(policy::encode(setup.policy)).text(setup.ca_certificate).text(setup.ca_key.reveal());
  out.boolean(setup.datagrams.valid()).boolean(setup.names.valid());
  std::vector<int> sockets = {setup.tcp.get(), setup.resolver_udp.get(), setup.resolver_tcp.get(),
                              setup.scan.get(), setup.ledger.get()};
  for (const auto* optional : {&setup.datagrams, &setup.names})
    if (*optional) sockets.push_back(optional->get());
  return send(control, Role::proxy, out.result(), std::move(sockets));
}

Result<void> send_setup(int control, const ScanSetup& setup) {
  return send(control, Role::scan, {}, {setup.proxy.get(), setup.egress.get()});
}

Result<void> send_setup(int control, const EgressSetup& setup) {
  wire::Encoder out;
  out.bytes(policy::encode(setup.policy)).text(setup.trust_store).text(setup.resolv_conf).text(setup.hosts);
  return send(control, Role::egress, out.result(), {setup.scan.get(), setup.ledger.get()});
}

Result<ProxySetup> receive_proxy_setup(int control) {
  constexpr std::size_t kAlways = 5;
  auto received = TRY(receive(control, Role::proxy, kAlways, kAlways + 2));
  wire::Decoder in(as_bytes(received.values));
  ProxySetup setup;
  setup.policy = TRY(take_policy(in));
  setup.ca_certificate = TRY(in.text());
  setup.ca_key = Secret(TRY(in.text()));
  bool datagrams = TRY(in.boolean());
  bool names = TRY(in.boolean());
  TRY(in.finish());
  if (received.sockets.size() != kAlways + (datagrams ? 1 : 0) + (names ? 1 : 0))
    return Error(ErrorCode::malformed, "a setup with the wrong number of descriptors");
  wipe(received.values);
  setup.tcp = std::move(received.sockets[0]);
  setup.resolver_udp = std::move(received.sockets[1]);
  setup.resolver_tcp = std::move(received.sockets[2]);
  setup.scan = std::move(received.sockets[3]);
  setup.ledger = std::move(received.sockets[4]);
  if (datagrams) setup.datagrams = std::move(received.sockets[kAlways]);
  if (names) setup.names = std::move(received.sockets.back());
  return setup;
}

Result<ScanSetup> receive_scan_setup(int control) {
  auto received = TRY(receive(control, Role::scan, 2, 2));
  return ScanSetup{.proxy = std::move(received.sockets[0]), .egress = std::move(received.sockets[1])};
}

Result<EgressSetup> receive_egress_setup(int control) {
  auto received = TRY(receive(control, Role::egress, 2, 2));
  wire::Decoder in(as_bytes(received.values));
  EgressSetup setup;
  setup.policy = TRY(take_policy(in));
  setup.trust_store = TRY(in.text());
  setup.resolv_conf = TRY(in.text());
  setup.hosts = TRY(in.text());
  TRY(in.finish());
  setup.scan = std::move(received.sockets[0]);
  setup.ledger = std::move(received.sockets[1]);
  return setup;
}

}  // namespace belljar::gateway
