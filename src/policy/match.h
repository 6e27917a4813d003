// How one rule meets one subject, dimension by dimension, so that a verdict can name what was missing.
#pragma once

#include "policy/path.h"
#include "policy/policy.h"

namespace belljar::policy {

struct Match {
  bool host = false;
  bool scheme = false;
  bool port = false;
  bool method = false;
  bool path = false;

  [[nodiscard]] bool all() const { return host && scheme && port && method && path; }
};

/// The path is looked at only when the host matches.
Match match(const Rule& rule, const Subject& subject, const PathReadings& path);

bool covers_scheme(const Rule& rule, Scheme scheme);
/// In a deny rule no ports are any port; elsewhere the default port of the scheme.
bool covers_port(const Rule& rule, Scheme scheme, std::uint16_t port);
bool covers_method(const Rule& rule, std::string_view method);
bool covers_any_method(const Rule& rule);

/// Whether `deny` takes back all methods and paths of `rule` (host, scheme and port are the caller's).
bool closes(const Rule& deny, const Rule& rule);

}  // namespace belljar::policy
