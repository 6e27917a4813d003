#include "cli/endpoint.h"

#include <charconv>

#include <fmt/core.h>

namespace belljar::cli {

namespace {

struct Parts {
  policy::Scheme scheme = policy::Scheme::https;
  std::string host;
  std::uint16_t port = 0;
  std::string rest;  ///< path and what follows
};

Error not_usable(const std::string& variable, const std::string& why) {
  return Error(ErrorCode::invalid_argument,
               fmt::format("{} of your environment can't be used in a jar: {}", variable, why))
      .with_hint(fmt::format("unset {} or give it an http:// or https:// URL", variable));
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

Result<Parts> split(const std::string& variable, const std::string& url) {
  Parts parts;
  std::string_view text = url;
  if (text.starts_with("http://"))
    parts.scheme = policy::Scheme::http;
  else if (!text.starts_with("https://"))
    return not_usable(variable, "it does not begin with http:// or https://");
  text.remove_prefix(text.find("//") + 2);
  auto authority = text.substr(0, text.find_first_of("/?#"));
  parts.rest = text.substr(authority.size());
  if (authority.find('@') != std::string_view::npos)
    return not_usable(variable, "it carries a user name or password");
  auto colon = authority.rfind(':');
  bool has_port = colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
  parts.host = authority.substr(0, has_port ? colon : authority.size());
  parts.port = policy::default_port(parts.scheme);
  if (has_port) {
    auto digits = authority.substr(colon + 1);
    auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), parts.port);
    if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size() || parts.port == 0)
      return not_usable(variable, "its port is no number");
  }
  return parts;
}

std::string open_service(const Parts& parts, const std::string& variable, policy::Policy& policy) {
  policy.services.push_back({.name = variable, .port = parts.port, .origin = variable});
  return fmt::format("http://{}:{}{}", policy::kServiceHost, parts.port, parts.rest);
}

}  // namespace

Result<std::string> open_endpoint(const std::string& variable, const std::string& url,
                                  policy::Policy& policy) {
  auto parts = TRY(split(variable, url));
  if (is_loopback(parts.host)) {
    if (parts.scheme == policy::Scheme::https)
      return not_usable(variable, "services of this host are reached by plain HTTP, not TLS");
    return open_service(parts, variable, policy);
  }
  auto host = TRY(policy::canonical_host(parts.host).context("reading " + variable));
  policy::Rule rule;
  rule.verdict = policy::Verdict::allow;
  rule.host = TRY(policy::HostPattern::parse(host));
  rule.schemes = {parts.scheme};
  rule.ports = {parts.port};
  rule.methods = {"*"};
  rule.reason = "the model server that your environment names";
  rule.origin = variable;
  policy.rules.push_back(std::move(rule));
  policy.exceptions.push_back({.host = host, .port = parts.port, .origin = variable});
  return url;
}

}  // namespace belljar::cli
