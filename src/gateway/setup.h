// What the processes of a gateway are told at their start, by the one that starts them, over their control
// socket (descriptor 3, SOCK_SEQPACKET): one message whose first descriptor is a sealed file with the values
// and whose others are the sockets below, in order. End of file on the control socket later on means: exit.
//
// The starter makes, per jar:
//   proxy ⇄ scan    one SOCK_SEQPACKET pair (links are handed over on it)
//   scan  ⇄ egress  one SOCK_SEQPACKET pair
//   proxy → ledger, egress → ledger   one SOCK_SEQPACKET each, registered with the ledger under its source
// and keeps no end of them: the death of a process must be the end of its channels.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "base/secret.h"
#include "os/fd.h"
#include "policy/policy.h"

namespace belljar::gateway {

inline constexpr int kControlFd = 3;
/// Bytes of the file of names (ProxySetup::names): one of length and at most 255 for each name that a jar can
/// be given, which is dns::kPoolCapacity of them at most.
inline constexpr std::size_t kNamesFileSize = 131072UL * 256;

struct ProxySetup {
  policy::Policy policy;
  std::string ca_certificate;  ///< PEM, the jar's own authority
  Secret ca_key;               ///< PEM, PKCS #8
  os::Fd tcp;                  ///< the door (jar::Door), listening
  os::Fd resolver_udp;
  os::Fd resolver_tcp;
  os::Fd scan;       ///< the proxy's end of proxy ⇄ scan
  os::Fd ledger;     ///< appends with source "proxy"
  os::Fd datagrams;  ///< optional: an NFLOG netlink socket of the jar's namespace, bound to its group
  /// Optional: a file of the starter's, in which the proxy keeps the names that it gave addresses to
  /// (proxy/kept_names.h): one that is started in its place knows them. It has its size, kNamesFileSize, from
  /// the start, without taking that room, and can neither shrink nor grow.
  os::Fd names;
};

struct ScanSetup {
  os::Fd proxy;   ///< scan's end of proxy ⇄ scan
  os::Fd egress;  ///< scan's end of scan ⇄ egress
};

struct EgressSetup {
  policy::Policy policy;
  std::string trust_store;  ///< PEM certificates of the host's trusted authorities, concatenated
  std::string resolv_conf;  ///< text of the host's /etc/resolv.conf
  std::string hosts;        ///< text of the host's /etc/hosts
  os::Fd scan;              ///< the egress's end of scan ⇄ egress
  os::Fd ledger;            ///< appends with source "egress"
};

/// Blocking; the descriptors stay the caller's until the setup is dropped.
Result<void> send_setup(int control, const ProxySetup& setup);
Result<void> send_setup(int control, const ScanSetup& setup);
Result<void> send_setup(int control, const EgressSetup& setup);

/// Blocking, called once at the start of each process. `closed` when the starter went away.
Result<ProxySetup> receive_proxy_setup(int control);
Result<ScanSetup> receive_scan_setup(int control);
Result<EgressSetup> receive_egress_setup(int control);

}  // namespace belljar::gateway
