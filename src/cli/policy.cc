// `belljar policy show|test|check`: what may leave a jar, and why.
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "cli/agent_choice.h"
#include "cli/commands.h"
#include "cli/effective.h"
#include "cli/json.h"
#include "cli/last_end.h"
#include "cli/life.h"
#include "cli/saving.h"
#include "cli/table.h"
#include "cli/workspace.h"
#include "keeper/ask.h"
#include "keeper/tell.h"
#include "ledger/printable.h"
#include "policy/lint.h"

namespace belljar::cli {

namespace {

/// The policy of a jar, also of one that doesn't exist yet: then what its first start would have.
Result<Effective> load(const keeper::Directories& directories, const StartOptions& options,
                       std::string agent) {
  EffectiveRequest request{.jar = options.jar, .options = &options};
  if (auto record = find_meant_jar(directories, options.jar)) {
    request.jar = record->name;
    request.workspace = record->workspace;
    if (agent.empty()) agent = record->agent;
  } else if (!options.jar.empty()) {
    return std::move(record).error();
  } else {
    request.workspace = TRY(find_workspace("", directories.user_home)).root;
  }
  if (agent.empty() && request.jar.empty()) {
    std::vector<std::string> notes;
    auto config = TRY(load_config_of(directories, request, notes));
    agent = TRY(agent_of(config));
  }
  if (agent.empty()) return load_effective(directories, request);
  auto profile = TRY(agents::load_profile(agent));
  request.profile = &profile;
  return load_effective(directories, request);
}

void tell_notes(const Effective& effective) {
  for (const auto& note : effective.notes)
    keeper::tell_lines(note);
}

/// A running jar has the policy of its start.
void tell_older_policy(const keeper::Directories& directories, const std::string& name) {
  auto record = find_meant_jar(directories, name);
  if (!record || !record->running) return;
  for (const auto& file : {user_config_file(directories), jar_config_file(directories, record->name)}) {
    struct stat status {};
    if (::stat(file.path.c_str(), &status) < 0 || status.st_mtim.tv_sec < record->started) continue;
    keeper::tell(fmt::format("jar '{}' runs with an older policy: {} was changed after its start",
                             record->name, file.shown));
    keeper::tell_more(fmt::format("try: belljar stop {} && {}", record->name, start_command(*record)));
    return;
  }
}

std::string ports_of(const policy::Rule& rule) {
  return rule.ports.empty() ? "" : fmt::format(":{}", fmt::join(rule.ports, ","));
}

std::string schemes_of(const policy::Rule& rule) {
  std::vector<std::string_view> names;
  for (auto scheme : rule.schemes)
    names.push_back(policy::name_of(scheme));
  return fmt::format("{}", fmt::join(names, ","));
}

std::string where_of(const policy::Rule& rule) {
  return schemes_of(rule) + "://" + rule.host.text() + ports_of(rule);
}

void print_text(const Effective& effective) {
  Table table({"VERDICT", "WHERE", "METHODS", "PATHS", "WHY", "FROM"});
  for (const auto& rule : effective.policy.rules)
    table.add({std::string(policy::name_of(rule.verdict)), where_of(rule),
               fmt::format("{}", fmt::join(rule.methods, ",")),
               rule.paths.empty() ? "any" : fmt::format("{}", fmt::join(rule.paths, " ")),
               rule.reason.empty() ? "-" : rule.reason, rule.origin});
  for (const auto& service : effective.policy.services)
    table.add({"allow", fmt::format("http://{}:{}", policy::kServiceHost, service.port), "*", "any",
               "service " + service.name + " of this host", service.origin});
  table.add({"deny", "everything else", "*", "any", "default", "belljar"});
  fmt::print("{}", table.to_string());
  for (const auto& exception : effective.policy.exceptions)
    fmt::print("{}:{} may have addresses that are not public ({})\n", exception.host, exception.port,
               exception.origin);
}

/// A value that is not a rule: what it is called in the configuration, and where it stands.
struct Setting {
  std::string name;
  std::string value;
  std::string origin;
};

std::vector<Setting> settings_of(const config::Config& config) {
  std::vector<Setting> settings;
  auto add = [&](const std::string& name, std::string value) {
    auto origin = config.origins.find(name);
    settings.push_back(
        {name, std::move(value), origin == config.origins.end() ? "belljar's default" : origin->second});
  };
  add("jar.agent", config.agent.value_or("none"));
  add("jar.backend", config.backend.value_or("auto"));
  add("jar.workspace", config.workspace.value_or("bind"));
  add("jar.allow_unguarded", config.allow_unguarded ? "true" : "false");
  add("limits.memory", config.limits.memory ? config::format_size(*config.limits.memory) : "none");
  add("limits.cpus", config.limits.cpus ? fmt::format("{}", *config.limits.cpus) : "none");
  add("limits.pids", config.limits.processes ? fmt::format("{}", *config.limits.processes) : "default");
  add("limits.wall",
      config.limits.wall ? config::format_duration(static_cast<std::int64_t>(*config.limits.wall)) : "none");
  add("limits.disk", config.limits.disk ? config::format_size(*config.limits.disk) : "none");
  auto undo = bounds_of(config.undo);
  add("undo.keep", fmt::format("{}s", undo.keep));
  add("undo.size", config::format_size(undo.size));
  add("undo.ignored", config::format_size(undo.ignored));
  add("jar.root", config.root.value_or("auto"));
  if (config.root == "image") add("jar.image", config.image.value_or("none"));
  for (const auto& [name, value] : config.variables)
    add("env." + name, value);
  for (const auto& name : config.passed_variables)
    add("env.pass." + name, "the host's value");
  return settings;
}

/// What really holds the limits of this jar, while it runs; which limits those are was settled by its start.
std::vector<jar::LimitState> held_limits(const keeper::Directories& directories,
                                         const StartOptions& options) {
  constexpr int kPatience = 1000;  // ms
  auto record = find_meant_jar(directories, options.jar);
  if (!record || !record->running) return {};
  auto answer = keeper::ask(directory_of(directories, *record), keeper::request::Status{}, kPatience);
  auto* report = answer ? std::get_if<keeper::answer::StatusReport>(&*answer) : nullptr;
  return report != nullptr ? std::move(report->limits) : std::vector<jar::LimitState>{};
}

/// Every line of what counts, each with its origin.
void print_origins(const Effective& effective, const std::vector<jar::LimitState>& limits) {
  Table table({"WHAT", "VALUE", "ORIGIN"});
  for (const auto& setting : settings_of(effective.config))
    table.add({setting.name, ledger::make_printable(setting.value, 200), setting.origin});
  for (const auto& [name, value] : effective.endpoint)
    table.add({"env." + name, ledger::make_printable(value, 200), "the host's environment"});
  for (const auto& rule : effective.policy.rules)
    table.add({std::string(policy::name_of(rule.verdict)),
               fmt::format("{} {}{}", fmt::join(rule.methods, ","), where_of(rule),
                           rule.paths.empty() ? "" : fmt::format(" {}", fmt::join(rule.paths, " "))),
               rule.origin});
  for (const auto& service : effective.policy.services)
    table.add({"service", fmt::format("{} = {}", service.name, service.port), service.origin});
  for (const auto& exception : effective.policy.exceptions)
    table.add({"not public", fmt::format("{}:{}", exception.host, exception.port), exception.origin});
  table.add({"deny", "everything else", "belljar's default"});
  for (const auto& limit : limits)
    table.add(
        {"limit " + limit.name, ledger::make_printable(limit.asked.empty() ? "default" : limit.asked, 200),
         fmt::format("the running jar: {}{}",
                     limit.enforced ? "held by " : "not held: ", ledger::make_printable(limit.how, 400))});
  fmt::print("{}", table.to_string());
}

void print_whole(const Effective& effective, const std::vector<jar::LimitState>& limits) {
  auto settings = nlohmann::ordered_json::array();
  for (const auto& setting : settings_of(effective.config))
    settings.push_back({{"name", setting.name}, {"value", setting.value}, {"origin", setting.origin}});
  auto rules = nlohmann::ordered_json::array();
  for (const auto& rule : effective.policy.rules)
    rules.push_back({{"verdict", policy::name_of(rule.verdict)},
                     {"host", rule.host.text()},
                     {"scheme", schemes_of(rule)},
                     {"ports", rule.ports},
                     {"methods", rule.methods},
                     {"paths", rule.paths},
                     {"reason", rule.reason},
                     {"origin", rule.origin}});
  auto services = nlohmann::ordered_json::array();
  for (const auto& service : effective.policy.services)
    services.push_back({{"name", service.name}, {"port", service.port}, {"origin", service.origin}});
  auto exceptions = nlohmann::ordered_json::array();
  for (const auto& exception : effective.policy.exceptions)
    exceptions.push_back({{"host", exception.host}, {"port", exception.port}, {"origin", exception.origin}});
  print_json({{"rules", rules},
              {"services", services},
              {"exceptions", exceptions},
              {"settings", settings},
              {"limits", limits_json(limits)},
              {"notes", effective.notes}});
}

/// The subject of "METHOD URL".
Result<policy::Subject> subject_of(const PolicyTest& command) {
  policy::Subject subject;
  std::string_view url = command.url;
  if (url.starts_with("http://"))
    subject.scheme = policy::Scheme::http;
  else if (!url.starts_with("https://"))
    return Error(ErrorCode::invalid_argument, "the URL must begin with https:// or http://")
        .with_hint("belljar policy test GET https://api.example.com/");
  url.remove_prefix(url.find("//") + 2);
  auto authority = url.substr(0, url.find_first_of("/?#"));
  auto target = url.substr(authority.size());
  target = target.substr(0, target.find_first_of("?#"));
  auto colon = authority.rfind(':');
  subject.port = policy::default_port(subject.scheme);
  if (colon != std::string_view::npos) {
    const char* end = authority.data() + authority.size();
    auto parsed = std::from_chars(authority.data() + colon + 1, end, subject.port);
    if (parsed.ec != std::errc() || parsed.ptr != end)
      return Error(ErrorCode::invalid_argument, "the URL's port is no number")
          .with_hint("belljar policy test GET https://api.example.com:8443/");
  }
  subject.host = TRY(policy::canonical_host(authority.substr(0, colon))
                         .hint("belljar policy test GET https://api.example.com/"));
  subject.path = TRY(policy::normalise_path(target.empty() ? "/" : target)
                         .hint("write the path plain: without . and .., // and %2F"));
  subject.method = command.method;
  for (char& c : subject.method)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return subject;
}

}  // namespace

Result<int> run_command(const PolicyShow& command, const keeper::Directories& directories) {
  auto effective = TRY(load(directories, command.options, command.agent));
  if (command.json) {
    print_whole(effective, held_limits(directories, command.options));
    return 0;
  }
  tell_notes(effective);
  tell_older_policy(directories, command.options.jar);
  if (command.origin)
    print_origins(effective, held_limits(directories, command.options));
  else
    print_text(effective);
  return 0;
}

Result<int> run_command(const PolicyTest& command, const keeper::Directories& directories) {
  auto subject = TRY(subject_of(command));
  auto effective = TRY(load(directories, command.options, command.agent));
  if (!command.json) tell_notes(effective);
  tell_older_policy(directories, command.options.jar);
  auto judgement = policy::judge(effective.policy, subject);
  if (command.json) {
    print_json({{"verdict", policy::name_of(judgement.verdict)},
                {"reason", judgement.reason},
                {"origin", judgement.origin}});
  } else {
    fmt::print("{}: {}{}\n", policy::name_of(judgement.verdict), judgement.reason,
               judgement.origin.empty() ? "" : " (" + judgement.origin + ")");
  }
  return judgement.verdict == policy::Verdict::allow ? 0 : 1;
}

Result<int> run_command(const PolicyCheck& command, const keeper::Directories& directories) {
  StartOptions options;
  options.jar = command.jar;
  auto effective = TRY(load(directories, options, ""));
  auto warnings = policy::lint(effective.policy);
  if (command.json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& warning : warnings)
      list.push_back({{"origin", warning.origin}, {"message", warning.message}});
    print_json(list);
    return warnings.empty() ? 0 : 1;
  }
  tell_notes(effective);
  for (const auto& warning : warnings)
    fmt::print("{}: {}\n", warning.origin, warning.message);
  if (warnings.empty()) fmt::print("nothing to remark on {} rules\n", effective.policy.rules.size());
  return warnings.empty() ? 0 : 1;
}

}  // namespace belljar::cli
