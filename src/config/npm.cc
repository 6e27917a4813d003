// npm's configuration: the environment before ~/.npmrc before the global npmrc.
#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "config/tool_files.h"

namespace belljar::config {

namespace {

constexpr std::string_view kDefaultRegistry = "https://registry.npmjs.org/";

struct Setting {
  std::string value;
  std::string origin;
};
/// "registry" and "@scope:registry"; what is set first stays.
using Settings = std::map<std::string, Setting>;

bool is_registry_key(std::string_view key) {
  return key == "registry" || (key.starts_with('@') && key.ends_with(":registry") &&
                               key.find_first_of(" \t\r\n\"=[]") == std::string_view::npos);
}

/// "${NAME}" in a value is the variable's value; what is unset stays, as npm leaves it.
std::string expand(std::string_view value, const ToolHost& host) {
  std::string out;
  while (true) {
    auto start = value.find("${");
    auto end = start == std::string_view::npos ? start : value.find('}', start);
    if (end == std::string_view::npos) return out += value;
    out += value.substr(0, start);
    auto found = host.variables.find(std::string(value.substr(start + 2, end - start - 2)));
    if (found != host.variables.end())
      out += found->second;
    else
      out += value.substr(start, end - start + 1);
    value.remove_prefix(end + 1);
  }
}

std::string unquoted(std::string_view value) {
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
    value = value.substr(1, value.size() - 2);
  return std::string(value);
}

/// npm takes its variables in either case: npm_config_registry, NPM_CONFIG_REGISTRY.
std::optional<Setting> from_environment(const ToolHost& host, std::string_view key) {
  for (const auto& [name, value] : host.variables) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (!value.empty() && lower == fmt::format("npm_config_{}", key))
      return Setting{.value = value, .origin = name};
  }
  return {};
}

void read_npmrc(const ToolHost& host, const std::string& path, Settings& settings,
                std::vector<std::string>& notes) {
  for (const auto& entry : read_ini(host, path, false, notes))
    if (entry.section.empty() && is_registry_key(entry.key) && !entry.value.empty())
      settings.emplace(
          entry.key, Setting{.value = expand(unquoted(entry.value), host), .origin = shown_path(host, path)});
}

}  // namespace

void read_npm(const ToolHost& host, Registries& registries) {
  Settings settings;
  if (auto setting = from_environment(host, "registry")) settings.emplace("registry", *setting);
  auto user_file = from_environment(host, "userconfig");
  auto global_file = from_environment(host, "globalconfig");
  auto prefix = from_environment(host, "prefix");
  read_npmrc(host, user_file ? user_file->value : host.home + "/.npmrc", settings, registries.notes);
  if (global_file)
    read_npmrc(host, global_file->value, settings, registries.notes);
  else
    read_npmrc(host, host.root + (prefix ? prefix->value : host.npm_prefix) + "/etc/npmrc", settings,
               registries.notes);
  read_npmrc(host, host.root + "/etc/npmrc", settings, registries.notes);
  settings.emplace("registry", Setting{.value = std::string(kDefaultRegistry), .origin = "npm's default"});

  for (const auto& [key, setting] : settings) {
    auto url = parse_registry_url(setting.value, setting.origin, registries.notes);
    if (!url) continue;
    registries.npm.push_back(url->registry);
    if (setting.value != kDefaultRegistry) registries.npmrc += fmt::format("{}={}\n", key, url->text);
  }
}

}  // namespace belljar::config
