#include "agents/profile.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "config/document.h"
#include "config/table_reader.h"

namespace belljar::agents {

extern const std::string_view claude_toml;
extern const std::string_view cline_toml;
extern const std::string_view codex_toml;
extern const std::string_view copilot_toml;
extern const std::string_view gemini_toml;
extern const std::string_view opencode_toml;
extern const std::string_view pi_toml;
extern const std::string_view qwen_toml;
extern const std::string_view shell_toml;

namespace {

struct Embedded {
  std::string_view name;
  const std::string_view& text;
};

const std::array<Embedded, 9> kProfiles = {{{"claude", claude_toml},
                                            {"cline", cline_toml},
                                            {"codex", codex_toml},
                                            {"copilot", copilot_toml},
                                            {"gemini", gemini_toml},
                                            {"opencode", opencode_toml},
                                            {"pi", pi_toml},
                                            {"qwen", qwen_toml},
                                            {"shell", shell_toml}}};

/// The value at "outer.inner" or "key"; nothing when it isn't there.
const config::Node* find(const config::Node& table, std::string_view path) {
  const auto* node = &table;
  while (true) {
    auto dot = path.find('.');
    const auto* entry = node->find(path.substr(0, dot));
    if (entry == nullptr || dot == std::string_view::npos) return entry != nullptr ? &entry->value : nullptr;
    node = &entry->value;
    path.remove_prefix(dot + 1);
  }
}

std::string text(const config::Node& table, std::string_view path) {
  const auto* node = find(table, path);
  return node != nullptr ? node->text : "";
}

std::vector<std::string> texts(const config::Node& table, std::string_view path) {
  std::vector<std::string> out;
  if (const auto* list = find(table, path))
    for (const auto& item : list->items)
      out.push_back(item.text);
  return out;
}

Result<policy::Rule> read_host(const config::Node& table, const std::string& profile) {
  policy::Rule rule;
  rule.verdict = policy::Verdict::allow;
  rule.host = TRY(policy::HostPattern::parse(text(table, "host")));
  rule.reason = text(table, "reason");
  if (rule.reason.empty()) return Error(ErrorCode::malformed, "a host without a reason: " + rule.host.text());
  if (find(table, "methods") != nullptr) rule.methods = texts(table, "methods");
  rule.paths = texts(table, "paths");
  rule.origin = "profile " + profile;
  return rule;
}

Result<Profile> read_profile(const config::Node& root) {
  Profile profile{.name = text(root, "name"),
                  .command = text(root, "program.command"),
                  .npm_package = text(root, "program.npm"),
                  .arguments = texts(root, "unprompted.arguments"),
                  .login_variables = texts(root, "login.variables"),
                  .login_files = texts(root, "login.files"),
                  .login_missing = text(root, "login.missing"),
                  .endpoint_variable = text(root, "endpoint.variable")};
  if (profile.name.empty() || profile.command.empty())
    return Error(ErrorCode::malformed, "a profile needs a name and a program.command");
  if (const auto* variables = find(root, "unprompted.environment"))
    for (const auto& entry : variables->entries)
      profile.environment[entry.key] = entry.value.text;
  if (const auto* seeds = find(root, "seed"))
    for (const auto& seed : seeds->items)
      profile.seeds.push_back(
          {.path = text(seed, "path"), .text = text(seed, "text"), .needs = text(seed, "needs")});
  if (const auto* hosts = find(root, "host"))
    for (const auto& host : hosts->items)
      profile.rules.push_back(TRY(read_host(host, profile.name)));
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
  auto message = fmt::format("no agent '{}' (known: {})", name, fmt::join(profile_names(), ", "));
  if (auto meant = config::nearest(name, profile_names()))
    message += fmt::format("; did you mean '{}'?", *meant);
  return Error(ErrorCode::not_found, std::move(message)).with_hint("belljar --help   (lists them)");
}

Result<Profile> parse_profile(std::string_view toml, std::string_view origin) {
  auto root = TRY(config::parse_document(toml, std::string(origin)));
  return read_profile(root).context(std::string(origin));
}

}  // namespace belljar::agents
