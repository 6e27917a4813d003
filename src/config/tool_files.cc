#include "config/tool_files.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "config/placement.h"
#include "os/fd.h"

namespace belljar::config {

namespace {

constexpr std::size_t kMaxToolFile = 1U << 20;

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return {};
  return port;
}

/// Whether a path can stand in a line of a configuration file as it is.
bool is_plain_path(std::string_view path) {
  return std::all_of(path.begin(), path.end(),
                     [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '$'; });
}

}  // namespace

std::optional<std::string> read_tool_file(const ToolHost& host, const std::string& path,
                                          std::vector<std::string>& notes) {
  auto placed = open_placed(path, host.written);
  if (placed && !placed->holder.empty()) {
    notes.push_back(fmt::format("{} is not read: it stands in {}, the workspace of a jar",
                                shown_path(host, path), placed->holder));
    return {};
  }
  auto text = placed ? os::read_all(placed->file.get(), kMaxToolFile).context("read " + path)
                     : Result<std::string>(std::move(placed).error());
  if (text) return std::move(*text);
  if (text.error().code() != ErrorCode::not_found) notes.push_back(text.error().to_string());
  return {};
}

std::vector<IniEntry> read_ini(const ToolHost& host, const std::string& path, bool continued,
                               std::vector<std::string>& notes) {
  auto text = read_tool_file(host, path, notes);
  return text ? parse_ini(*text, continued) : std::vector<IniEntry>{};
}

std::optional<std::string> variable_of(const ToolHost& host, const std::string& name) {
  auto found = host.variables.find(name);
  if (found == host.variables.end() || found->second.empty()) return {};
  return found->second;
}

std::string shown_path(const ToolHost& host, const std::string& path) {
  if (!host.home.empty() && path.starts_with(host.home + "/")) return "~" + path.substr(host.home.size());
  return path;
}

std::optional<RegistryUrl> parse_registry_url(std::string_view url, const std::string& origin,
                                              std::vector<std::string>& notes) {
  auto refuse = [&](std::string_view why) -> std::optional<RegistryUrl> {
    notes.push_back(fmt::format("a registry in {} can't be used: {}", origin, why));
    return {};
  };
  RegistryUrl parsed;
  parsed.registry.origin = origin;
  auto separator = url.find("://");
  auto scheme = url.substr(0, separator);
  if (separator == std::string_view::npos || (scheme != "https" && scheme != "http"))
    return refuse("it is no http or https address");
  if (scheme == "http") parsed.registry.scheme = policy::Scheme::http;
  auto rest = url.substr(separator + 3);
  auto authority = rest.substr(0, rest.find_first_of("/?#"));
  auto path = rest.substr(authority.size());
  path = path.substr(0, path.find_first_of("?#"));
  if (auto at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);

  parsed.registry.port = policy::default_port(parsed.registry.scheme);
  auto name = authority;
  if (auto colon = authority.rfind(':'); colon != std::string_view::npos && authority.back() != ']') {
    auto port = parse_port(authority.substr(colon + 1));
    if (!port) return refuse("its port is no number");
    parsed.registry.port = *port;
    name = authority.substr(0, colon);
  }
  auto host = policy::canonical_host(name);
  if (!host) return refuse(host.error().message());
  if (*host == "localhost" || host->ends_with(".localhost"))
    return refuse("localhost is the jar itself in a jar; declare it under [services]");
  parsed.registry.host = *host;
  if (!is_plain_path(path)) return refuse("its path has characters that must be encoded");
  parsed.text = fmt::format("{}://{}", scheme, parsed.registry.host);
  if (parsed.registry.port != policy::default_port(parsed.registry.scheme))
    parsed.text += fmt::format(":{}", parsed.registry.port);
  parsed.text += path.empty() ? "/" : std::string(path);
  return parsed;
}

}  // namespace belljar::config
