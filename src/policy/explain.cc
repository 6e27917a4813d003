#include "policy/explain.h"

#include <algorithm>

#include <fmt/format.h>

#include "policy/match.h"

namespace belljar::policy {

namespace {

constexpr std::size_t kMaxShownPath = 200;

/// How much of a subject a rule covers; among near misses the one that misses least is named.
int closeness(const Match& match) {
  if (!match.host) return 0;
  if (!match.scheme || !match.port) return 1;
  return match.method == match.path ? 2 : match.path ? 4 : 3;
}

/// A path between single quotes: encoded where the quotes would end.
std::string quoted(std::string_view path) {
  std::string out = "'";
  for (char c : path)
    if (c == '\'')
      out += "%27";
    else
      out += c;
  return out + "'";
}

/// Only plain methods are offered for pasting.
bool is_plain(std::string_view method) {
  return std::all_of(method.begin(), method.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::string command_for(const Subject& subject, bool with_method, bool with_path) {
  auto command = fmt::format("belljar allow {}", subject.host);
  if (subject.scheme == Scheme::http) command += " --http";
  if (subject.port != default_port(subject.scheme)) command += fmt::format(" --port {}", subject.port);
  if (with_method && is_plain(subject.method)) command += fmt::format(" --method {}", subject.method);
  if (with_path && subject.path.size() <= kMaxShownPath)
    command += fmt::format(" --path {}", quoted(subject.path));
  return command;
}

std::string shown_path(std::string_view path) {
  if (path.size() <= kMaxShownPath) return std::string(path);
  return std::string(path.substr(0, kMaxShownPath)) + "…";
}

std::string ports_of(const Rule& rule) {
  if (!rule.ports.empty()) return fmt::format("{}", fmt::join(rule.ports, ", "));
  std::vector<std::uint16_t> ports;
  for (auto scheme : rule.schemes)
    ports.push_back(default_port(scheme));
  return fmt::format("{}", fmt::join(ports, ", "));
}

std::string schemes_of(const Rule& rule) {
  std::vector<std::string_view> names;
  for (auto scheme : rule.schemes)
    names.push_back(name_of(scheme));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string source_of(const Rule& rule) { return rule.origin.empty() ? "a rule" : rule.origin; }

std::string explain_near_miss(const Rule& rule, const Match& match, const Subject& subject) {
  if (!match.scheme || !match.port)
    return fmt::format(
        "{}://{}:{} is not allowed: {} allows {} on port {} only; on the host, for its next start: {}",
        name_of(subject.scheme), subject.host, subject.port, source_of(rule), schemes_of(rule),
        ports_of(rule), command_for(subject, subject.method != "GET", false));
  if (!match.method && match.path)
    return fmt::format("{} is not allowed for {}: {} allows {}; on the host, for its next start: {}",
                       subject.method, subject.host, source_of(rule), fmt::join(rule.methods, ", "),
                       command_for(subject, true, true));
  return fmt::format(
      "{} {} is not allowed for {}: {} allows {} of {} only; on the host, for its next start: {}",
      subject.method, shown_path(subject.path), subject.host, source_of(rule), fmt::join(rule.methods, ", "),
      rule.paths.empty() ? "any path" : fmt::format("{}", fmt::join(rule.paths, ", ")),
      command_for(subject, !match.method || subject.method != "GET", true));
}

}  // namespace

std::string reason_of(const Rule& rule) {
  auto reason = rule.reason;
  if (reason.empty()) reason = fmt::format("{} {}", name_of(rule.verdict), rule.host.text());
  if (rule.verdict == Verdict::deny) return fmt::format("denied by {}: {}", source_of(rule), reason);
  if (rule.verdict == Verdict::hold)
    return fmt::format("held for a person by {}: {}; this version cannot ask yet, so it is denied",
                       source_of(rule), reason);
  return reason;
}

std::string explain_unknown_host(const Policy&, std::string_view host) {
  return fmt::format("{} is not in this jar's policy; on the host, for its next start: belljar allow {}",
                     host, host);
}

std::string explain_default_deny(const Policy& policy, const Subject& subject, const PathReadings& path) {
  const Rule* nearest = nullptr;
  Match nearest_match;
  for (const auto& rule : policy.rules) {
    if (rule.verdict == Verdict::deny) continue;
    auto found = match(rule, subject, path);
    if (closeness(found) <= closeness(nearest_match)) continue;
    nearest = &rule;
    nearest_match = found;
  }
  if (nearest != nullptr) return explain_near_miss(*nearest, nearest_match, subject);
  return fmt::format("{} is not in this jar's policy; on the host, for its next start: {}", subject.host,
                     command_for(subject, subject.method != "GET" && subject.method != "HEAD", false));
}

std::string explain_wrong_port(const Policy& policy, Scheme scheme, std::string_view host,
                               std::uint16_t port) {
  Subject subject{.scheme = scheme, .host = std::string(host), .port = port, .method = "GET", .path = "/"};
  for (const auto& rule : policy.rules)
    if (rule.verdict != Verdict::deny && rule.host.matches(host))
      return explain_near_miss(rule, Match{.host = true}, subject);
  return explain_unknown_host(policy, host);
}

std::string explain_missing_service(const Policy& policy, std::uint16_t port) {
  auto what = port == 0 ? std::string("no service of the host is declared")
                        : fmt::format("no service of the host is declared on port {}", port);
  std::vector<std::string> declared;
  for (const auto& service : policy.services)
    declared.push_back(fmt::format("{} = {}", service.name, service.port));
  if (!declared.empty()) what += fmt::format(" (there is {})", fmt::join(declared, ", "));
  return what + "; the user can name it under [services] in belljar's configuration";
}

}  // namespace belljar::policy
