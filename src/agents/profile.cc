#include "agents/profile.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace belljar::agents {

extern const std::string_view claude_toml;
extern const std::string_view codex_toml;
extern const std::string_view shell_toml;

namespace {

struct Embedded {
  std::string_view name;
  const std::string_view& text;
};

const std::array<Embedded, 3> kProfiles = {
    {{"claude", claude_toml}, {"codex", codex_toml}, {"shell", shell_toml}}};

std::vector<std::string> texts(const toml::node_view<const toml::node>& node) {
  std::vector<std::string> out;
  if (const auto* list = node.as_array())
    for (const auto& item : *list)
      if (auto text = item.value<std::string>()) out.push_back(*text);
  return out;
}

Result<policy::Rule> parse_host(const toml::table& table, const std::string& profile) {
  policy::Rule rule;
  rule.verdict = policy::Verdict::allow;
  rule.host = TRY(policy::HostPattern::parse(table["host"].value_or(std::string{})));
  rule.reason = table["reason"].value_or(std::string{});
  if (rule.reason.empty()) return Error(ErrorCode::malformed, "a host without a reason: " + rule.host.text());
  if (table.contains("methods")) rule.methods = texts(table["methods"]);
  rule.paths = texts(table["paths"]);
  rule.origin = "profile " + profile;
  return rule;
}

Result<Profile> read_profile(const toml::table& root) {
  Profile profile;
  profile.name = root["name"].value_or(std::string{});
  profile.command = root["program"]["command"].value_or(std::string{});
  profile.npm_package = root["program"]["npm"].value_or(std::string{});
  if (profile.name.empty() || profile.command.empty())
    return Error(ErrorCode::malformed, "a profile needs a name and a program.command");
  profile.arguments = texts(root["unprompted"]["arguments"]);
  if (const auto* variables = root["unprompted"]["environment"].as_table())
    for (const auto& [name, value] : *variables)
      profile.environment[std::string(name.str())] = value.value_or(std::string{});
  profile.login_variables = texts(root["login"]["variables"]);
  profile.login_files = texts(root["login"]["files"]);
  profile.login_missing = root["login"]["missing"].value_or(std::string{});
  profile.endpoint_variable = root["endpoint"]["variable"].value_or(std::string{});
  if (const auto* seeds = root["seed"].as_array())
    for (const auto& item : *seeds)
      if (const auto* seed = item.as_table())
        profile.seeds.push_back({.path = (*seed)["path"].value_or(std::string{}),
                                 .text = (*seed)["text"].value_or(std::string{}),
                                 .needs = (*seed)["needs"].value_or(std::string{})});
  if (const auto* hosts = root["host"].as_array())
    for (const auto& item : *hosts)
      if (const auto* host = item.as_table()) profile.rules.push_back(TRY(parse_host(*host, profile.name)));
  return profile;
}

}  // namespace

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const auto& profile : kProfiles)
    names.emplace_back(profile.name);
  return names;
}

bool has_profile(std::string_view name) {
  for (const auto& profile : kProfiles)
    if (profile.name == name) return true;
  return false;
}

Result<Profile> load_profile(std::string_view name) {
  for (const auto& profile : kProfiles)
    if (profile.name == name) return parse_profile(profile.text, fmt::format("profile {}", name));
  return Error(ErrorCode::not_found,
               fmt::format("no agent '{}' (known: {})", name, fmt::join(profile_names(), ", ")));
}

// The one place where toml++'s exception is caught.
Result<Profile> parse_profile(std::string_view toml, std::string_view origin) {
  toml::table root;
  try {
    root = toml::parse(toml, std::string(origin));
  } catch (const toml::parse_error& error) {
    return Error(ErrorCode::malformed,
                 fmt::format("{}:{}: {}", origin, error.source().begin.line, error.description()));
  }
  return read_profile(root).context(std::string(origin));
}

}  // namespace belljar::agents
