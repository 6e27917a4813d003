// Proposal: a thing that waits for a person, and Decision: what the person said. Values.
//
// A decision binds exactly what was shown: the bytes of a project's file, or one kind of request (scheme,
// host, port and method) of one jar. Anything else, however similar, is another proposal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/policy.h"

namespace belljar::review {

enum class Kind : std::uint8_t {
  project,  ///< the belljar.toml of a workspace
  host,     ///< requests of a jar to a host that no rule names
};
std::string_view name_of(Kind kind);

enum class State : std::uint8_t {
  open,
  approved,
  always,  ///< approved for every jar of the user
  rejected,
  outdated,  ///< a project's file that has been replaced by another one, or removed
};
std::string_view name_of(State state);

/// What a person said, and who, when, why.
struct Decision {
  State state = State::rejected;  ///< approved, always or rejected
  std::string who;                ///< name and uid of the user
  std::int64_t time = 0;          ///< microseconds since 1970 (UTC)
  std::string why;                ///< may be empty
};

struct Proposal {
  std::uint64_t number = 0;  ///< given by the queue
  Kind kind = Kind::host;
  State state = State::open;
  std::int64_t first = 0;   ///< microseconds since 1970 (UTC)
  std::int64_t last = 0;    ///< when it was asked for most recently
  std::uint64_t count = 1;  ///< how often it was asked for
  bool seen = false;        ///< it was shown to a person
  std::string jar;          ///< Kind::host: whose request; Kind::project: empty

  // Kind::project
  std::string workspace;
  std::string content;  ///< the whole text of the file
  std::string hash;     ///< hash_of(content)

  // Kind::host
  policy::Scheme scheme = policy::Scheme::https;
  std::string host;
  std::uint16_t port = 0;
  std::string method;

  std::optional<Decision> decision;
};

/// SHA-256, 64 hexadecimal digits.
std::string hash_of(std::string_view content);

Proposal propose_project(std::string workspace, std::string content, std::int64_t now);

/// What a decision on it binds: equal for two proposals exactly when one decision counts for both.
std::string binding_of(const Proposal& proposal);

/// The rule that approves a proposal of Kind::host: exactly that kind of request, every path.
Result<policy::Rule> rule_of(const Proposal& proposal);

}  // namespace belljar::review
