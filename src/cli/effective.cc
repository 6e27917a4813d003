#include "cli/effective.h"

#include <charconv>
#include <cstdlib>

#include <fmt/core.h>

#include "cli/endpoint.h"
#include "cli/workspace.h"
#include "config/placement.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace belljar::cli {

namespace {

std::map<std::string, std::string> host_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text = *entry;
    auto equals = text.find('=');
    if (equals != std::string_view::npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

/// What every jar may do: read packages where the user's own tools read them.
config::RegistryRule default_registries() {
  config::RegistryRule wanted{.registries = {"npm", "pypi"}};
  wanted.rule.verdict = policy::Verdict::allow;
  wanted.rule.reason = "package registries, read-only";
  wanted.rule.origin = "belljar's default";
  return wanted;
}

/// What jars write to: whatever stands there is not the user's word.
Result<std::vector<std::string>> workspaces_of_jars(const keeper::Directories& directories) {
  std::vector<std::string> workspaces;
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  for (auto& record : TRY(jars.list()))
    if (!record.workspace.empty()) workspaces.push_back(std::move(record.workspace));
  return workspaces;
}

Result<void> check_trusted(const ConfigFile& file, const std::vector<std::string>& workspaces) {
  auto holder = config::holder_of(file.path, workspaces);
  if (holder.empty()) return {};
  return Error(ErrorCode::permission_denied,
               fmt::format("{} stands in {}, the workspace of a jar, which could write there whom to trust",
                           file.shown, holder))
      .with_hint("keep the file itself, not a link, outside of workspaces");
}

Result<config::Config> load_trusted(const ConfigFile& file, const std::vector<std::string>& workspaces) {
  TRY(check_trusted(file, workspaces));
  return config::load_config(file.path, file.shown);
}

std::string shown(const std::string& path, const std::string& home) {
  return path.starts_with(home + "/") ? "~" + path.substr(home.size()) : path;
}

}  // namespace

ConfigFile user_config_file(const keeper::Directories& directories) {
  auto path = directories.config + "/config.toml";
  return {path, shown(path, directories.user_home)};
}

ConfigFile jar_config_file(const keeper::Directories& directories, const std::string& jar) {
  auto path = directories.config + "/jars/" + jar + ".toml";
  return {path, shown(path, directories.user_home)};
}

Result<Effective> load_effective(const keeper::Directories& directories, const std::string& jar,
                                 const agents::Profile* profile) {
  Effective effective;
  auto user = user_config_file(directories);
  auto own = jar_config_file(directories, jar);
  auto workspaces = TRY(workspaces_of_jars(directories));
  effective.config = config::merge(TRY(load_trusted(user, workspaces)), TRY(load_trusted(own, workspaces)));

  auto& policy = effective.policy;
  if (profile != nullptr) policy.rules = profile->rules;
  policy.rules.insert(policy.rules.end(), effective.config.rules.begin(), effective.config.rules.end());
  policy.services = effective.config.services;

  auto variables = host_environment();
  if (auto bundle = variables.find("SSL_CERT_FILE"); bundle != variables.end())
    TRY(check_trusted({bundle->second, "SSL_CERT_FILE"}, workspaces));
  effective.registries = config::find_registries(
      {.home = directories.user_home, .variables = variables, .workspaces = workspaces});
  effective.notes = effective.registries.notes;
  auto wanted = effective.config.registries;
  wanted.push_back(default_registries());
  config::add_registries(wanted, effective.registries, policy);

  if (profile != nullptr && variables.contains(profile->endpoint_variable))
    effective.endpoint[profile->endpoint_variable] =
        TRY(open_endpoint(profile->endpoint_variable, variables[profile->endpoint_variable], policy));
  return effective;
}

Result<policy::Rule> rule_of_option(const std::string& option) {
  policy::Rule rule;
  rule.verdict = policy::Verdict::allow;
  rule.reason = "allowed for this start";
  rule.origin = "--allow on the command line";
  auto colon = option.rfind(':');
  if (colon != std::string::npos) {
    std::uint16_t port = 0;
    const char* end = option.data() + option.size();
    auto parsed = std::from_chars(option.data() + colon + 1, end, port);
    if (parsed.ec != std::errc() || parsed.ptr != end || port == 0)
      return Error(ErrorCode::invalid_argument, "'" + option + "' is no HOST or HOST:PORT");
    rule.ports = {port};
  }
  rule.host = TRY(policy::HostPattern::parse(option.substr(0, colon)).context("--allow " + option));
  return rule;
}

Result<keeper::JarRecord> find_meant_jar(const keeper::Directories& directories, const std::string& name) {
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  if (!name.empty()) return jars.find(name);
  auto workspace = TRY(find_workspace("", directories.user_home));
  auto found = TRY(jars.find_of_workspace(workspace.root));
  if (found) return *found;
  return Error(ErrorCode::not_found, "this directory has no jar yet (" + workspace.root + ")")
      .with_hint("start one first, or name a jar: --jar NAME (belljar ls lists them)");
}

}  // namespace belljar::cli
