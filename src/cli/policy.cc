// `belljar policy show|test|check`: what may leave a jar, and why.
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/effective.h"
#include "cli/table.h"
#include "policy/lint.h"

namespace belljar::cli {

namespace {

/// The policy of a jar, also of one that doesn't exist yet: then what its first start would have.
Result<Effective> load(const keeper::Directories& directories, const std::string& jar, std::string agent) {
  std::string name = jar;
  if (auto record = find_meant_jar(directories, jar)) {
    name = record->name;
    if (agent.empty()) agent = record->agent;
  } else if (!jar.empty()) {
    return std::move(record).error();
  }
  if (agent.empty()) return load_effective(directories, name, nullptr);
  auto profile = TRY(agents::load_profile(agent));
  return load_effective(directories, name, &profile);
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

void print_text(const Effective& effective) {
  Table table({"VERDICT", "WHERE", "METHODS", "PATHS", "WHY", "FROM"});
  for (const auto& rule : effective.policy.rules)
    table.add({std::string(policy::name_of(rule.verdict)),
               schemes_of(rule) + "://" + rule.host.text() + ports_of(rule),
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

void print_json(const Effective& effective) {
  auto rules = nlohmann::json::array();
  for (const auto& rule : effective.policy.rules)
    rules.push_back({{"verdict", policy::name_of(rule.verdict)},
                     {"host", rule.host.text()},
                     {"scheme", schemes_of(rule)},
                     {"ports", rule.ports},
                     {"methods", rule.methods},
                     {"paths", rule.paths},
                     {"reason", rule.reason},
                     {"origin", rule.origin}});
  auto services = nlohmann::json::array();
  for (const auto& service : effective.policy.services)
    services.push_back({{"name", service.name}, {"port", service.port}, {"origin", service.origin}});
  auto exceptions = nlohmann::json::array();
  for (const auto& exception : effective.policy.exceptions)
    exceptions.push_back({{"host", exception.host}, {"port", exception.port}, {"origin", exception.origin}});
  nlohmann::json all = {{"rules", rules}, {"services", services}, {"exceptions", exceptions}};
  fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// The subject of "METHOD URL".
Result<policy::Subject> subject_of(const PolicyTest& command) {
  policy::Subject subject;
  std::string_view url = command.url;
  if (url.starts_with("http://"))
    subject.scheme = policy::Scheme::http;
  else if (!url.starts_with("https://"))
    return Error(ErrorCode::invalid_argument, "the URL must begin with https:// or http://");
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
      return Error(ErrorCode::invalid_argument, "the URL's port is no number");
  }
  subject.host = TRY(policy::canonical_host(authority.substr(0, colon)));
  subject.path = TRY(policy::normalise_path(target.empty() ? "/" : target));
  subject.method = command.method;
  for (char& c : subject.method)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return subject;
}

}  // namespace

Result<int> run_command(const PolicyShow& command, const keeper::Directories& directories) {
  auto effective = TRY(load(directories, command.jar, command.agent));
  command.json ? print_json(effective) : print_text(effective);
  return 0;
}

Result<int> run_command(const PolicyTest& command, const keeper::Directories& directories) {
  auto subject = TRY(subject_of(command));
  auto effective = TRY(load(directories, command.jar, command.agent));
  auto judgement = policy::judge(effective.policy, subject);
  if (command.json) {
    nlohmann::json result = {{"verdict", policy::name_of(judgement.verdict)},
                             {"reason", judgement.reason},
                             {"origin", judgement.origin}};
    fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}: {}{}\n", policy::name_of(judgement.verdict), judgement.reason,
               judgement.origin.empty() ? "" : " (" + judgement.origin + ")");
  }
  return judgement.verdict == policy::Verdict::allow ? 0 : 1;
}

Result<int> run_command(const PolicyCheck& command, const keeper::Directories& directories) {
  auto effective = TRY(load(directories, command.jar, ""));
  auto warnings = policy::lint(effective.policy);
  for (const auto& warning : warnings)
    fmt::print("{}: {}\n", warning.origin, warning.message);
  if (warnings.empty()) fmt::print("nothing to remark on {} rules\n", effective.policy.rules.size());
  return warnings.empty() ? 0 : 1;
}

}  // namespace belljar::cli
