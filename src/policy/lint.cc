#include "policy/lint.h"

#include <algorithm>

#include <fmt/core.h>

#include "policy/match.h"

namespace belljar::policy {

namespace {

/// Suffixes of two labels under which strangers own the names; the single labels are all too wide.
constexpr std::string_view kSharedSuffixes[] = {"co.uk",
                                                "org.uk",
                                                "ac.uk",
                                                "com.au",
                                                "co.jp",
                                                "com.br",
                                                "co.nz",
                                                "co.za",
                                                "com.cn",
                                                "co.in",
                                                "github.io",
                                                "gitlab.io",
                                                "pages.dev",
                                                "workers.dev",
                                                "vercel.app",
                                                "netlify.app",
                                                "herokuapp.com",
                                                "fly.dev",
                                                "onrender.com",
                                                "amazonaws.com",
                                                "cloudfront.net",
                                                "azurewebsites.net",
                                                "blob.core.windows.net",
                                                "web.app",
                                                "firebaseapp.com",
                                                "appspot.com",
                                                "ngrok.io",
                                                "ngrok-free.app",
                                                "trycloudflare.com",
                                                "r2.dev",
                                                "readthedocs.io"};

bool is_too_wide(const HostPattern& host) {
  if (!host.is_wildcard()) return false;
  auto name = host.text().substr(2);
  if (name.find('.') == std::string::npos) return true;
  return std::find(std::begin(kSharedSuffixes), std::end(kSharedSuffixes), name) != std::end(kSharedSuffixes);
}

/// Whether every name of `inner` is one of `outer`.
bool covers_host(const HostPattern& outer, const HostPattern& inner) {
  if (outer == inner) return true;
  if (!outer.is_wildcard()) return false;
  auto name = inner.is_wildcard() ? inner.text().substr(2) : inner.text();
  return outer.matches(name);
}

bool covers_connections(const Rule& outer, const Rule& inner) {
  return std::all_of(inner.schemes.begin(), inner.schemes.end(), [&](Scheme scheme) {
    if (!covers_scheme(outer, scheme)) return false;
    if (inner.ports.empty())
      return inner.verdict == Verdict::deny ? outer.ports.empty() && outer.verdict == Verdict::deny
                                            : covers_port(outer, scheme, default_port(scheme));
    return std::all_of(inner.ports.begin(), inner.ports.end(),
                       [&](std::uint16_t port) { return covers_port(outer, scheme, port); });
  });
}

bool covers_rule(const Rule& outer, const Rule& inner) {
  return covers_host(outer.host, inner.host) && covers_connections(outer, inner) && closes(outer, inner);
}

}  // namespace

std::vector<LintWarning> lint(const Policy& policy) {
  std::vector<LintWarning> warnings;
  for (std::size_t i = 0; i < policy.rules.size(); ++i) {
    const auto& rule = policy.rules[i];
    if (rule.verdict != Verdict::deny && is_too_wide(rule.host))
      warnings.push_back(
          {fmt::format("{} covers names that anybody can own", rule.host.text()), rule.origin});
    for (std::size_t j = 0; j < policy.rules.size(); ++j) {
      const auto& other = policy.rules[j];
      if (j == i || !covers_rule(other, rule)) continue;
      if (other.verdict == Verdict::deny && rule.verdict != Verdict::deny) {
        warnings.push_back({fmt::format("{} {} never applies: {} denies all of it", name_of(rule.verdict),
                                        rule.host.text(), other.origin),
                            rule.origin});
        break;
      }
      if (other.verdict == rule.verdict && (j < i || !covers_rule(rule, other))) {
        warnings.push_back(
            {fmt::format("{} {} adds nothing to {}", name_of(rule.verdict), rule.host.text(), other.origin),
             rule.origin});
        break;
      }
    }
  }
  return warnings;
}

}  // namespace belljar::policy
