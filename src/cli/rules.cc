// `belljar allow` and `belljar deny`: one rule added to, or taken back from, a file that people edit too.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/decision.h"
#include "cli/effective.h"
#include "cli/json.h"
#include "config/rules_file.h"

namespace belljar::cli {

namespace {

Result<policy::Rule> rule_of(const ChangeRule& command) {
  policy::Rule rule;
  rule.verdict = command.allow ? policy::Verdict::allow : policy::Verdict::deny;
  rule.host = TRY(policy::HostPattern::parse(command.host));
  if (command.plain_http) rule.schemes = {policy::Scheme::http};
  rule.ports = command.ports;
  if (!command.methods.empty()) rule.methods = command.methods;
  if (!command.allow) {
    // A denial is for every way of asking unless it names one.
    if (command.methods.empty()) rule.methods = {"*"};
    if (!command.plain_http) rule.schemes = {policy::Scheme::https, policy::Scheme::http};
  }
  rule.paths = command.paths;
  rule.reason = command.reason;
  return rule;
}

config::RuleFilter filter_of(const ChangeRule& command, const policy::Rule& rule) {
  config::RuleFilter filter{.verdict = rule.verdict, .host = rule.host};
  if (!command.methods.empty()) filter.methods = command.methods;
  if (!command.paths.empty()) filter.paths = command.paths;
  if (!command.ports.empty()) filter.ports = command.ports;
  return filter;
}

/// Where the rule goes, and whom it concerns in words.
struct Target {
  ConfigFile file;
  std::string whom;
  bool running = false;
  std::string jar;  ///< empty: every jar
};

Result<Target> target_of(const ChangeRule& command, const keeper::Directories& directories) {
  if (command.every_jar && !command.jar.empty())
    return Error(ErrorCode::invalid_argument, "--jar and --every-jar exclude each other")
        .with_hint("leave one of them out");
  if (command.every_jar) return Target{user_config_file(directories), "every jar", false, {}};
  auto jar = TRY(find_meant_jar(directories, command.jar));
  return Target{jar_config_file(directories, jar.name), "jar " + jar.name, jar.running, jar.name};
}

/// A decision is in the ledger before it takes effect (I10).
Result<void> record_change(const ChangeRule& command, const policy::Rule& rule, const Target& target,
                           const keeper::Directories& directories) {
  ledger::Event event{.kind = ledger::Kind::decision, .verdict = std::string(name_of(rule.verdict))};
  event.host = rule.host.text();
  if (rule.ports.size() == 1) event.port = rule.ports.front();
  event.method = fmt::format("{}", fmt::join(rule.methods, ", "));
  event.path = fmt::format("{}", fmt::join(rule.paths, ", "));
  event.reason = fmt::format("{} {} this rule for {}", deciding_user(),
                             command.take_back ? "takes back" : "adds", target.whom);
  if (!rule.reason.empty()) event.reason += ": " + rule.reason;
  event.origin = target.file.shown;
  return record_decision(event, target.jar, directories);
}

}  // namespace

Result<int> run_command(const ChangeRule& command, const keeper::Directories& directories) {
  auto rule = TRY(rule_of(command));
  auto target = TRY(target_of(command, directories));
  config::RulesFile file{.path = target.file.path, .shown_path = target.file.shown};
  const char* verb = command.allow ? "allowed" : "denied";
  TRY(record_change(command, rule, target, directories));
  if (command.take_back) {
    auto count = TRY(config::remove_rules(file, filter_of(command, rule)));
    if (command.json)
      print_json({{"host", rule.host.text()}, {"removed", count}, {"file", target.file.path}});
    else
      fmt::print("{} rule{} for {} taken back for {}\n", count, count == 1 ? "" : "s", rule.host.text(),
                 target.whom);
    return count > 0 ? 0 : 1;
  }
  bool added = TRY(config::add_rule(file, rule));
  if (command.json) {
    print_json({{"host", rule.host.text()},
                {"verdict", name_of(rule.verdict)},
                {"jar", target.jar},
                {"added", added},
                {"file", target.file.path},
                {"counts_from_next_start", target.running}});
    return 0;
  }
  fmt::print("{} is {} for {} ({}{})\n", rule.host.text(), verb, target.whom, added ? "" : "already in ",
             target.file.shown);
  if (target.running) fmt::print("it counts from the next start of the jar, which is running now\n");
  return 0;
}

}  // namespace belljar::cli
