// The host's own answers to names: /etc/hosts and /etc/resolv.conf, as texts, for a process that has no
// files.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace belljar::egress {

/// hosts(5): lower-case name → addresses as written, in order. Lines that make no sense are left out.
using HostTable = std::unordered_map<std::string, std::vector<std::string>>;
HostTable parse_hosts(std::string_view text);

/// resolv.conf(5): the addresses of its nameserver lines, at most three; 127.0.0.1 when there is none.
std::vector<std::string> parse_name_servers(std::string_view text);

}  // namespace belljar::egress
