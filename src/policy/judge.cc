#include <algorithm>

#include <fmt/core.h>

#include "policy/explain.h"
#include "policy/match.h"
#include "policy/policy.h"

namespace belljar::policy {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::allow:
      return "allow";
    case Verdict::deny:
      return "deny";
    case Verdict::hold:
      return "hold";
  }
  return "deny";
}

std::string_view name_of(Scheme scheme) { return scheme == Scheme::http ? "http" : "https"; }

std::uint16_t default_port(Scheme scheme) { return scheme == Scheme::http ? 80 : 443; }

namespace {

Judgement deny(std::string reason, std::string origin = {}) {
  return {.verdict = Verdict::deny, .reason = std::move(reason), .origin = std::move(origin)};
}

Judgement judgement_of(const Rule& rule) {
  return {.verdict = rule.verdict, .reason = reason_of(rule), .origin = rule.origin};
}

bool is_upper_token(std::string_view method) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";  // RFC 9110 section 5.6.2
  return !method.empty() && method.size() <= 64 && std::all_of(method.begin(), method.end(), [&](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kMarks.find(c) != std::string_view::npos;
  });
}

/// Names are compared as text: one that is not in its canonical spelling matches no rule by accident.
bool is_canonical_host(std::string_view host) {
  auto canonical = canonical_host(host);
  return canonical.ok() && *canonical == host;
}

bool is_canonical_path(std::string_view path) {
  auto normalised = normalise_path(path);
  return normalised.ok() && *normalised == path;
}

Judgement judge_service(const Policy& policy, Scheme scheme, std::uint16_t port) {
  for (const auto& service : policy.services) {
    if (service.port != port) continue;
    if (scheme != Scheme::http)
      return deny(
          fmt::format("services of the host speak plain http: use http://{}:{}/", kServiceHost, port));
    return {.verdict = Verdict::allow,
            .reason = fmt::format("the host's service \"{}\"", service.name),
            .origin = service.origin};
  }
  return deny(explain_missing_service(policy, port));
}

/// The first rule of this verdict that covers the subject.
const Rule* first_match(const Policy& policy, Verdict verdict, const Subject& subject,
                        const PathReadings& path) {
  for (const auto& rule : policy.rules)
    if (rule.verdict == verdict && match(rule, subject, path).all()) return &rule;
  return nullptr;
}

/// Whether an allow or hold rule leaves anything open at this scheme and port that no deny rule closes again.
bool is_open(const Policy& policy, const Rule& rule, Scheme scheme, std::string_view host,
             std::uint16_t port) {
  return std::none_of(policy.rules.begin(), policy.rules.end(), [&](const Rule& other) {
    return other.verdict == Verdict::deny && other.host.matches(host) && covers_scheme(other, scheme) &&
           covers_port(other, scheme, port) && closes(other, rule);
  });
}

const Rule* first_open(const Policy& policy, Scheme scheme, std::string_view host, std::uint16_t port) {
  for (const auto& rule : policy.rules)
    if (rule.verdict != Verdict::deny && rule.host.matches(host) && covers_scheme(rule, scheme) &&
        covers_port(rule, scheme, port) && is_open(policy, rule, scheme, host, port))
      return &rule;
  return nullptr;
}

/// A deny rule for the whole name, to be named where nothing is open.
const Rule* deny_of_host(const Policy& policy, std::string_view host) {
  for (const auto& rule : policy.rules)
    if (rule.verdict == Verdict::deny && rule.paths.empty() && rule.host.matches(host)) return &rule;
  return nullptr;
}

Judgement possible(const Rule& rule) {
  return {.verdict = Verdict::allow, .reason = reason_of(rule), .origin = rule.origin};
}

}  // namespace

Judgement judge(const Policy& policy, const Subject& subject) {
  if (!is_canonical_host(subject.host)) return deny("the host is not a name in its canonical spelling");
  if (!is_upper_token(subject.method)) return deny("the method is not a token in upper case");
  if (!is_canonical_path(subject.path)) return deny("the path is not in its normal form");

  auto path = readings_of(subject.path);
  if (const auto* rule = first_match(policy, Verdict::deny, subject, path)) return judgement_of(*rule);
  if (subject.host == kServiceHost) return judge_service(policy, subject.scheme, subject.port);
  if (const auto* rule = first_match(policy, Verdict::hold, subject, path)) return judgement_of(*rule);
  if (const auto* rule = first_match(policy, Verdict::allow, subject, path)) return judgement_of(*rule);
  return deny(explain_default_deny(policy, subject, path));
}

Judgement judge_host(const Policy& policy, std::string_view host) {
  if (!is_canonical_host(host)) return deny("the host is not a name in its canonical spelling");
  if (host == kServiceHost) {
    if (const auto* rule = deny_of_host(policy, host)) return judgement_of(*rule);
    if (policy.services.empty()) return deny(explain_missing_service(policy, 0));
    return {.verdict = Verdict::allow,
            .reason = "services of the host",
            .origin = policy.services.front().origin};
  }
  for (const auto& rule : policy.rules) {
    if (rule.verdict == Verdict::deny || !rule.host.matches(host)) continue;
    for (auto scheme : rule.schemes) {
      auto ports = rule.ports.empty() ? std::vector<std::uint16_t>{default_port(scheme)} : rule.ports;
      for (auto port : ports)
        if (is_open(policy, rule, scheme, host, port)) return possible(rule);
    }
  }
  if (const auto* rule = deny_of_host(policy, host)) return judgement_of(*rule);
  return deny(explain_unknown_host(policy, host));
}

Judgement judge_connection(const Policy& policy, Scheme scheme, std::string_view host, std::uint16_t port) {
  if (!is_canonical_host(host)) return deny("the host is not a name in its canonical spelling");
  if (host == kServiceHost) {
    for (const auto& rule : policy.rules)
      if (rule.verdict == Verdict::deny && rule.paths.empty() && rule.host.matches(host) &&
          covers_any_method(rule) && covers_scheme(rule, scheme) && covers_port(rule, scheme, port))
        return judgement_of(rule);
    return judge_service(policy, scheme, port);
  }
  if (const auto* rule = first_open(policy, scheme, host, port)) return possible(*rule);
  auto of_host = judge_host(policy, host);
  if (of_host.verdict == Verdict::deny) return of_host;
  return deny(explain_wrong_port(policy, scheme, host, port));
}

}  // namespace belljar::policy
