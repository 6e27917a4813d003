#include "egress/host_files.h"

#include "http/headers.h"

namespace belljar::egress {

namespace {

constexpr std::size_t kMaxNameServers = 3;  // as resolv.conf(5) has it

/// Calls `line` with the words of each line, comments removed.
template <typename Line>
void for_each_line(std::string_view text, std::string_view comment_starts, Line line) {
  while (!text.empty()) {
    auto end = text.find('\n');
    auto rest = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    rest = rest.substr(0, rest.find_first_of(comment_starts));
    std::vector<std::string_view> words;
    for (auto start = rest.find_first_not_of(" \t\r"); start != std::string_view::npos;
         start = rest.find_first_not_of(" \t\r")) {
      rest.remove_prefix(start);
      auto length = std::min(rest.find_first_of(" \t\r"), rest.size());
      words.push_back(rest.substr(0, length));
      rest.remove_prefix(length);
    }
    if (words.size() > 1) line(words);
  }
}

}  // namespace

HostTable parse_hosts(std::string_view text) {
  HostTable table;
  for_each_line(text, "#", [&](const std::vector<std::string_view>& words) {
    for (std::size_t i = 1; i < words.size(); ++i)
      table[http::lower_case(words[i])].emplace_back(words[0]);
  });
  return table;
}

std::vector<std::string> parse_name_servers(std::string_view text) {
  std::vector<std::string> servers;
  for_each_line(text, "#;", [&](const std::vector<std::string_view>& words) {
    if (words[0] == "nameserver" && servers.size() < kMaxNameServers) servers.emplace_back(words[1]);
  });
  if (servers.empty()) servers.emplace_back("127.0.0.1");
  return servers;
}

}  // namespace belljar::egress
