// Policy: what may pass the door, as values. judge() is the one function that decides, for every way of
// asking.
//
// Deny before hold before allow; what no rule names is denied. Rules come from the agent's profile, the
// user's configuration and the command line, and each says where it stands and why, so that every verdict
// explains itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace belljar::policy {

enum class Verdict : std::uint8_t { allow, deny, hold };
std::string_view name_of(Verdict verdict);

enum class Scheme : std::uint8_t { http, https };
std::string_view name_of(Scheme scheme);
std::uint16_t default_port(Scheme scheme);

/// "api.example.com" (exactly that name) or "*.example.com" (any name below, not the apex). Canonical: lower
/// case, A-labels, no trailing dot; never an address.
class HostPattern {
 public:
  static Result<HostPattern> parse(std::string_view text);
  [[nodiscard]] bool matches(std::string_view canonical_host) const;
  [[nodiscard]] bool is_wildcard() const { return wildcard_; }
  [[nodiscard]] std::string text() const { return wildcard_ ? "*." + name_ : name_; }
  bool operator==(const HostPattern&) const = default;

 private:
  std::string name_;
  bool wildcard_ = false;
};

struct Rule {
  Verdict verdict = Verdict::deny;
  HostPattern host;
  std::vector<Scheme> schemes = {Scheme::https};
  std::vector<std::uint16_t> ports;  ///< empty: the default port of the scheme; in a deny rule: any port
  std::vector<std::string> methods = {"GET", "HEAD"};  ///< upper case; "*" alone means any
  std::vector<std::string> paths;  ///< globs over the normalised path ("/repos/acme/**"); empty: any
  std::string reason;              ///< one line for people
  std::string origin;              ///< "profile claude", "~/.config/belljar/config.toml:12:1", "command line"
};

/// A name:port that the user's own tool configuration on the host names (a registry, a model server): only it
/// may resolve to addresses that are not public, to those it has on the host.
struct HostException {
  std::string host;
  std::uint16_t port = 443;
  std::string origin;
};

/// A named service of the host: host.belljar.internal:port reaches 127.0.0.1:port of the host, plain TCP
/// carrying HTTP. Nothing else of the host's loopback is ever reached.
struct Service {
  std::string name;
  std::uint16_t port = 0;
  std::string origin;
};
inline constexpr std::string_view kServiceHost = "host.belljar.internal";

struct Policy {
  std::vector<Rule> rules;
  std::vector<HostException> exceptions;
  std::vector<Service> services;
};

/// What a rule is asked about. Canonical values: the host lower case without trailing dot, the method upper
/// case, the path normalised by normalise_path.
struct Subject {
  Scheme scheme = Scheme::https;
  std::string host;
  std::uint16_t port = 443;
  std::string method;
  std::string path;  ///< without query
};

struct Judgement {
  Verdict verdict = Verdict::deny;
  std::string reason;  ///< why, in one line an agent can act on
  std::string origin;  ///< of the deciding rule; empty when none matched
};

/// Pure and total. Deny before hold before allow; a subject that is not canonical is denied.
Judgement judge(const Policy& policy, const Subject& subject);
/// Whether any request to this name (and port) could be allowed or held: what the resolver and the connection
/// ask before a request is there. A verdict of allow here promises nothing yet.
Judgement judge_host(const Policy& policy, std::string_view canonical_host);
Judgement judge_connection(const Policy& policy, Scheme scheme, std::string_view canonical_host,
                           std::uint16_t port);

/// Lower case, no trailing dot, letters digits hyphens underscores and dots, labels 1–63, 253 in all;
/// `malformed` for anything else and for what reads as an address in any spelling (127.1, 0x7f.1,
/// 2130706433).
Result<std::string> canonical_host(std::string_view text);

/// The path of a request target (no query, at most 16 KiB), normalised once for comparison: percent-decoding
/// of unreserved characters, upper-case hex elsewhere; what servers are known to read differently is
/// `malformed` rather than resolved: dot segments (in every depth of encoding, and "..;"), empty segments,
/// backslashes and control characters. An encoded slash stays "%2F" (npm asks for scoped packages with it):
/// rules with paths then have to cover both readings, see policy/path.h. RFC 3986 section 6.2.2.
Result<std::string> normalise_path(std::string_view target_path);

/// For other processes of belljar (wire/codec.h).
/// decode takes only what encode makes of a policy whose parts are canonical.
Bytes encode(const Policy& policy);
Result<Policy> decode(BytesView bytes);

}  // namespace belljar::policy
