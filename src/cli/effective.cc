#include "cli/effective.h"

#include <charconv>
#include <cstdlib>
#include <optional>

#include <fmt/core.h>

#include "cli/endpoint.h"
#include "cli/project.h"
#include "cli/workspace.h"
#include "keeper/gateway.h"
#include "keeper/written_by_jars.h"

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
  config::RegistryRule wanted{.registries = {"npm", "pypi", "apt"}};
  wanted.rule.verdict = policy::Verdict::allow;
  wanted.rule.reason = "package registries, read-only";
  wanted.rule.origin = "belljar's default";
  return wanted;
}

/// What the options of the command line set.
Result<config::Config> config_of(const StartOptions& options) {
  config::Config config;
  auto given = [&config](const std::string& name, const std::string& option) {
    config.origins[name] = option + " on the command line";
  };
  if (!options.memory.empty()) {
    config.limits.memory = config::parse_size(options.memory);
    if (!config.limits.memory)
      return Error(ErrorCode::invalid_argument, "--memory " + options.memory + " is no size")
          .with_hint("--memory 4G, or 512M");
    if (*config.limits.memory < config::kLeastMemory)
      return Error(ErrorCode::invalid_argument,
                   fmt::format("--memory {} is too small: no jar starts in less than {}", options.memory,
                               config::format_size(config::kLeastMemory)))
          .with_hint("--memory 4G, or 512M");
    given("limits.memory", "--memory");
  }
  if (options.cpus) {
    if (!(*options.cpus >= 0.01 && *options.cpus <= 4096))
      return Error(ErrorCode::invalid_argument, "--cpus must be a number of cores from 0.01")
          .with_hint("--cpus 2");
    config.limits.cpus = options.cpus;
    given("limits.cpus", "--cpus");
  }
  if (options.processes) {
    if (*options.processes < 1 || *options.processes > 4'194'304)
      return Error(ErrorCode::invalid_argument, "--pids must be a number of processes from 1")
          .with_hint("--pids 1024");
    config.limits.processes = options.processes;
    given("limits.pids", "--pids");
  }
  if (!options.wall.empty()) {
    auto seconds = config::parse_duration(options.wall);
    if (!seconds)
      return Error(ErrorCode::invalid_argument, "--wall " + options.wall + " is no time")
          .with_hint("--wall 8h, or 90m");
    config.limits.wall = static_cast<std::uint64_t>(*seconds);
    given("limits.wall", "--wall");
  }
  if (!options.disk.empty()) {
    config.limits.disk = config::parse_size(options.disk);
    if (!config.limits.disk || *config.limits.disk < config::kLeastDisk)
      return Error(ErrorCode::invalid_argument,
                   fmt::format("--disk {} is no size of {} or more", options.disk,
                               config::format_size(config::kLeastDisk)))
          .with_hint("--disk 20G");
    given("limits.disk", "--disk");
  }
  if (options.allow_unguarded) {
    config.allow_unguarded = true;
    given("jar.allow_unguarded", "--allow-unguarded");
  }
  for (const auto& option : options.allow)
    config.rules.push_back(TRY(rule_of_option(option)));
  return config;
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

namespace {

Result<config::Config> load_config_beside(const config::WrittenByJars& written,
                                          const keeper::Directories& directories,
                                          const EffectiveRequest& request, std::vector<std::string>& notes) {
  auto load = [&written](const ConfigFile& file) {
    return config::load_config(file.path, file.shown, written);
  };
  auto user = TRY(load(user_config_file(directories)));
  config::Config own;
  if (!request.jar.empty()) own = TRY(load(jar_config_file(directories, request.jar)));
  auto config = user;
  if (!request.workspace.empty()) {
    auto project =
        TRY(consult_project(request.workspace, config::merge(user, own), directories, request.may_ask));
    config = config::merge(config, project.config);
    notes.insert(notes.end(), project.notes.begin(), project.notes.end());
  }
  config = config::merge(config, own);
  if (request.options != nullptr) config = config::merge(config, TRY(config_of(*request.options)));
  return config;
}

}  // namespace

Result<config::Config> load_config_of(const keeper::Directories& directories, const EffectiveRequest& request,
                                      std::vector<std::string>& notes) {
  return load_config_beside(keeper::written_by_jars_now(directories.jars()), directories, request, notes);
}

Result<Effective> load_effective(const keeper::Directories& directories, const EffectiveRequest& request) {
  Effective effective;
  const auto* profile = request.profile;
  effective.config = TRY(load_config_of(directories, request, effective.notes));
  auto written = keeper::written_by_jars_now(directories.jars());  // the user may have been asked meanwhile

  auto& policy = effective.policy;
  if (profile != nullptr) policy.rules = profile->rules;
  policy.rules.insert(policy.rules.end(), effective.config.rules.begin(), effective.config.rules.end());
  policy.services = effective.config.services;

  auto variables = host_environment();
  TRY(keeper::check_trust_store(written));  // so that a start says so, not the first request
  effective.registries =
      config::find_registries({.home = directories.user_home, .variables = variables, .written = written});
  effective.notes.insert(effective.notes.end(), effective.registries.notes.begin(),
                         effective.registries.notes.end());
  auto wanted = effective.config.registries;
  wanted.push_back(default_registries());
  config::add_registries(wanted, effective.registries, policy);

  if (profile != nullptr && variables.contains(profile->endpoint_variable))
    effective.endpoint[profile->endpoint_variable] =
        TRY(open_endpoint(profile->endpoint_variable, variables[profile->endpoint_variable], policy));
  return effective;
}

jar::RootChoice root_choice(const config::Config& config) {
  if (config.root == "metadata") return jar::RootChoice::metadata;
  if (config.root == "skeleton") return jar::RootChoice::skeleton;
  if (config.root == "readonly") return jar::RootChoice::read_only;
  if (config.root == "image") return jar::RootChoice::image;
  return jar::RootChoice::automatic;
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
      return Error(ErrorCode::invalid_argument, "'" + option + "' is no HOST or HOST:PORT")
          .with_hint("--allow api.example.com, or api.example.com:8443");
    rule.ports = {port};
  }
  rule.host = TRY(policy::HostPattern::parse(option.substr(0, colon))
                      .context("--allow " + option)
                      .hint("--allow api.example.com, or *.example.com for every name below"));
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
