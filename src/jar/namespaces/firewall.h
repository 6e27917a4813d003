// The packet filter of a jar (nf_tables), as one netlink transaction.
//
//   table inet belljar {
//     chain redirect {  type nat hook output priority dstnat
//       ip  udp dport 53                → 127.0.0.1:53     whatever server was asked
//       ip  tcp dport 53                → 127.0.0.1:53
//       ip  daddr 127.0.0.0/8           stays: the jar's own servers
//       ip  tcp                         → 127.0.0.1:kDoorPort
//     }
//     chain refuse {  type filter hook output priority filter
//       ip  daddr 127.0.0.1 tcp dport kDoorPort, not redirected: reset   nobody talks to the door directly
//       ip  tcp, established or related, daddr 127.0.0.0/8    accept
//       ip6 daddr ::1                                         accept
//       limit 10/second burst 40: log group 1
//       tcp: reset; everything else: rejected (the sender gets EPERM)
//     }
//   }
#pragma once

#include "os/netlink.h"

namespace belljar::jar {

inline constexpr std::uint16_t kDoorPort = 1;  ///< privileged and unused: no server of the jar's wants it
inline constexpr std::uint16_t kResolverPort = 53;

/// `with_log`: whether refused packets are logged (the kernel may not know how).
os::NetlinkBatch firewall_rules(bool with_log);

}  // namespace belljar::jar
