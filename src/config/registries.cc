#include "config/registries.h"

#include <algorithm>

#include <fmt/core.h>

#include "config/tool_files.h"

namespace belljar::config {

namespace {

void add_rule_for(const Registry& registry, const policy::Rule& wanted, std::string_view tool,
                  policy::Policy& policy) {
  auto host = policy::HostPattern::parse(registry.host);
  CHECK(host.ok());  // canonical already
  auto rule = wanted;
  rule.host = *host;
  rule.schemes = {registry.scheme};
  rule.ports = {registry.port};
  if (rule.reason.empty()) rule.reason = fmt::format("the {} registry, from {}", tool, registry.origin);
  bool denies = rule.verdict == policy::Verdict::deny;
  policy.rules.push_back(std::move(rule));
  if (denies) return;
  bool known = std::any_of(policy.exceptions.begin(), policy.exceptions.end(), [&](const auto& exception) {
    return exception.host == registry.host && exception.port == registry.port;
  });
  if (!known)
    policy.exceptions.push_back({.host = registry.host, .port = registry.port, .origin = registry.origin});
}

const std::vector<Registry>& registries_of(const Registries& all, std::string_view tool) {
  if (tool == "npm") return all.npm;
  return tool == "apt" ? all.apt : all.pypi;
}

/// One rule for a host and port, however many scopes it serves.
std::vector<Registry> without_repetition(const std::vector<Registry>& all) {
  std::vector<Registry> unique;
  for (const auto& registry : all)
    if (std::none_of(unique.begin(), unique.end(), [&](const Registry& other) {
          return other.scheme == registry.scheme && other.host == registry.host &&
                 other.port == registry.port;
        }))
      unique.push_back(registry);
  return unique;
}

}  // namespace

Registries find_registries(const ToolHost& host) {
  Registries registries;
  read_npm(host, registries);
  read_pip(host, registries);
  read_apt(host, registries);
  registries.npm = without_repetition(registries.npm);
  registries.pypi = without_repetition(registries.pypi);
  registries.apt = without_repetition(registries.apt);
  return registries;
}

void add_registries(const std::vector<RegistryRule>& wanted, const Registries& registries,
                    policy::Policy& policy) {
  for (const auto& line : wanted)
    for (const auto& name : line.registries)
      for (const auto& registry : registries_of(registries, name))
        add_rule_for(registry, line.rule, name, policy);
}

}  // namespace belljar::config
