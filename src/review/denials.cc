#include "review/denials.h"

#include <algorithm>

#include "policy/match.h"

namespace belljar::review {

namespace {

bool is_method(std::string_view text) {
  return !text.empty() && text.size() <= 32 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

/// Whether a rule has a word on this kind of request, whatever its path.
bool is_known(const policy::Policy& policy, const Proposal& proposal) {
  return std::any_of(policy.rules.begin(), policy.rules.end(), [&](const policy::Rule& rule) {
    return rule.host.matches(proposal.host) && policy::covers_scheme(rule, proposal.scheme) &&
           policy::covers_port(rule, proposal.scheme, proposal.port) &&
           policy::covers_method(rule, proposal.method);
  });
}

}  // namespace

std::optional<Proposal> proposal_of(const ledger::Row& row, const policy::Policy& policy) {
  const auto& event = row.event;
  if (event.kind != ledger::Kind::request || event.verdict != "deny" || !event.origin.empty() ||
      event.status != 403)
    return {};
  if (row.jar.empty() || event.port == 0 || !is_method(event.method)) return {};
  if (event.scheme != "https" && event.scheme != "http") return {};
  // Names of services and addresses have no rules; what a jar wrote must be a name in its one spelling.
  auto host = policy::canonical_host(event.host);
  if (!host || *host != event.host || *host == policy::kServiceHost) return {};
  Proposal proposal{.kind = Kind::host, .first = row.time, .last = row.time, .jar = row.jar};
  proposal.scheme = event.scheme == "http" ? policy::Scheme::http : policy::Scheme::https;
  proposal.host = event.host;
  proposal.port = event.port;
  proposal.method = event.method;
  if (is_known(policy, proposal)) return {};
  return proposal;
}

}  // namespace belljar::review
