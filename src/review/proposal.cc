#include "review/proposal.h"

#include <fmt/format.h>
#include <sodium/crypto_hash_sha256.h>

namespace belljar::review {

std::string_view name_of(Kind kind) { return kind == Kind::project ? "project" : "host"; }

std::string_view name_of(State state) {
  switch (state) {
    case State::open:
      return "open";
    case State::approved:
      return "approved";
    case State::always:
      return "always";
    case State::rejected:
      return "rejected";
    case State::outdated:
      return "outdated";
  }
  return "unknown";
}

std::string hash_of(std::string_view content) {
  std::uint8_t hash[crypto_hash_sha256_BYTES];
  crypto_hash_sha256(hash, reinterpret_cast<const unsigned char*>(content.data()), content.size());
  std::string text;
  for (auto byte : hash)
    text += fmt::format("{:02x}", byte);
  return text;
}

Proposal propose_project(std::string workspace, std::string content, std::int64_t now) {
  Proposal proposal{.kind = Kind::project, .first = now, .last = now};
  proposal.workspace = std::move(workspace);
  proposal.hash = hash_of(content);
  proposal.content = std::move(content);
  return proposal;
}

std::string binding_of(const Proposal& proposal) {
  // A path can hold anything but NUL: it stands last.
  if (proposal.kind == Kind::project) return fmt::format("project {} {}", proposal.hash, proposal.workspace);
  return fmt::format("host {} {} {} {}:{}", proposal.jar, proposal.method, name_of(proposal.scheme),
                     proposal.host, proposal.port);
}

Result<policy::Rule> rule_of(const Proposal& proposal) {
  policy::Rule rule{.verdict = policy::Verdict::allow};
  rule.host = TRY(policy::HostPattern::parse(proposal.host));
  rule.schemes = {proposal.scheme};
  if (proposal.port != policy::default_port(proposal.scheme)) rule.ports = {proposal.port};
  rule.methods = {proposal.method};
  rule.reason = fmt::format("approved in review ({})", proposal.number);
  return rule;
}

}  // namespace belljar::review
