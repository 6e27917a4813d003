#include "proxy/destination.h"

#include <cerrno>

#include <arpa/inet.h>
#include <fmt/core.h>
#include <linux/netfilter_ipv4.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace belljar::proxy {

Result<Destination> destination_of(int socket, const dns::NamePool& names) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockopt(socket, SOL_IP, SO_ORIGINAL_DST, &address, &size) != 0) {
    size = sizeof address;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      return Error::from_errno(errno, "ask for the destination of a connection");
  }
  if (address.sin_family != AF_INET) return Error(ErrorCode::unsupported, "a connection that is not IPv4");
  char text[INET_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  Destination destination{.name = {}, .address = text, .port = ntohs(address.sin_port)};
  if (auto name = names.name_of(ntohl(address.sin_addr.s_addr))) destination.name = *name;
  return destination;
}

policy::Judgement judge_destination(const policy::Policy& policy, policy::Scheme scheme,
                                    const Destination& destination) {
  if (destination.name) return policy::judge_connection(policy, scheme, *destination.name, destination.port);
  return {.verdict = policy::Verdict::deny,
          .reason = fmt::format("{}:{} is an address: only names can be allowed, so connect by name",
                                destination.address, destination.port),
          .origin = {}};
}

}  // namespace belljar::proxy
