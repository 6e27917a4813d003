#include "policy/match.h"

#include <algorithm>

namespace belljar::policy {

namespace {

template <typename T, typename U>
bool contains(const std::vector<T>& values, const U& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool covers_path(const Rule& rule, const PathReadings& path) {
  if (rule.paths.empty()) return true;
  return std::any_of(rule.paths.begin(), rule.paths.end(), [&](const std::string& text) {
    auto glob = PathGlob::parse(text);
    // A pattern that can't be read takes no part in an allow and closes everything in a deny.
    if (!glob) return rule.verdict == Verdict::deny;
    return rule.verdict == Verdict::allow ? glob->matches_every(path) : glob->matches_any(path);
  });
}

}  // namespace

bool covers_scheme(const Rule& rule, Scheme scheme) { return contains(rule.schemes, scheme); }

bool covers_port(const Rule& rule, Scheme scheme, std::uint16_t port) {
  if (!rule.ports.empty()) return contains(rule.ports, port);
  return rule.verdict == Verdict::deny || port == default_port(scheme);
}

bool covers_any_method(const Rule& rule) { return contains(rule.methods, "*"); }

bool covers_method(const Rule& rule, std::string_view method) {
  return covers_any_method(rule) || contains(rule.methods, method);
}

Match match(const Rule& rule, const Subject& subject, const PathReadings& path) {
  Match match;
  match.host = rule.host.matches(subject.host);
  if (!match.host) return match;
  match.scheme = covers_scheme(rule, subject.scheme);
  match.port = covers_port(rule, subject.scheme, subject.port);
  match.method = covers_method(rule, subject.method);
  match.path = covers_path(rule, path);
  return match;
}

bool closes(const Rule& deny, const Rule& rule) {
  if (!deny.paths.empty() && deny.paths != rule.paths) return false;
  if (covers_any_method(deny)) return true;
  return !covers_any_method(rule) &&
         std::all_of(rule.methods.begin(), rule.methods.end(),
                     [&](const auto& method) { return covers_method(deny, method); });
}

}  // namespace belljar::policy
