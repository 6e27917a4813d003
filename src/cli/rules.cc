// `belljar allow` and `belljar deny`: one rule added to, or taken back from, a file that people edit too.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/decision.h"
#include "cli/effective.h"
#include "cli/json.h"
#include "config/rules_file.h"
#include "config/table_reader.h"
#include "keeper/written_by_jars.h"
#include "ledger/printable.h"
#include "policy/path.h"

namespace belljar::cli {

namespace {

/// A method that no server knows is a slip of the hand, and its rule would never match: those of IANA's
/// registry that HTTP/1.1 parsers take.
Result<void> check_methods(const std::vector<std::string>& methods) {
  static const std::vector<std::string> kKnown = {
      "*",     "ACL",    "BIND",    "CHECKOUT", "CONNECT", "COPY",       "DELETE",
      "GET",   "HEAD",   "LINK",    "LOCK",     "MERGE",   "MKACTIVITY", "MKCALENDAR",
      "MKCOL", "MOVE",   "OPTIONS", "PATCH",    "POST",    "PROPFIND",   "PROPPATCH",
      "PURGE", "PUT",    "QUERY",   "REBIND",   "REPORT",  "SEARCH",     "SUBSCRIBE",
      "TRACE", "UNBIND", "UNLINK",  "UNLOCK",   "NOTIFY",  "UNSUBSCRIBE"};
  for (const auto& method : methods) {
    if (std::find(kKnown.begin(), kKnown.end(), method) != kKnown.end()) continue;
    auto upper = method;
    for (char& c : upper)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    auto meant = config::nearest(upper, kKnown);
    auto error = Error(ErrorCode::invalid_argument,
                       fmt::format("there is no HTTP method '{}'", ledger::make_printable(method, 40)) +
                           (meant ? fmt::format("; did you mean {}?", *meant) : ""));
    return std::move(error).with_hint(meant ? "--method " + *meant : "--method '*' is any");
  }
  return {};
}

Result<policy::Rule> rule_of(const ChangeRule& command) {
  policy::Rule rule;
  if (!command.take_back) TRY(check_methods(command.methods));
  for (const auto& path : command.paths)
    (void)TRY(policy::PathGlob::parse(path).hint("--path '/repos/acme/**'"));
  rule.verdict = command.allow ? policy::Verdict::allow : policy::Verdict::deny;
  rule.host = TRY(policy::HostPattern::parse(command.host)
                      .hint("belljar allow api.example.com, or '*.example.com' for every name below"));
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

bool have_in_common(const policy::Rule& allow, const policy::Rule& deny) {
  bool host = allow.host == deny.host || (!allow.host.is_wildcard() && deny.host.matches(allow.host.text()));
  auto among = [](const auto& values, const auto& value) {
    return std::find(values.begin(), values.end(), value) != values.end();
  };
  auto meet = [&](const auto& some, const auto& others) {
    return std::any_of(some.begin(), some.end(), [&](const auto& value) { return among(others, value); });
  };
  bool method = among(allow.methods, "*") || among(deny.methods, "*") || meet(allow.methods, deny.methods);
  bool port = deny.ports.empty() || meet(allow.ports, deny.ports);
  for (auto scheme : allow.schemes)
    port = port || (allow.ports.empty() && among(deny.ports, policy::default_port(scheme)));
  bool path = allow.paths.empty() || deny.paths.empty() || meet(allow.paths, deny.paths);
  return host && method && port && path && meet(allow.schemes, deny.schemes);
}

/// A deny rule that beats the new one, at least in part, and how to take it back; nothing where there is
/// none.
Result<std::optional<std::string>> what_still_denies(const policy::Rule& rule, const Target& target,
                                                     const keeper::Directories& directories) {
  EffectiveRequest request{.jar = target.jar};
  std::optional<agents::Profile> profile;
  if (!target.jar.empty()) {
    auto record = TRY(find_meant_jar(directories, target.jar));
    request.workspace = record.workspace;
    if (agents::has_profile(record.agent)) profile = TRY(agents::load_profile(record.agent));
    request.profile = profile ? &*profile : nullptr;
  }
  auto effective = TRY(load_effective(directories, request));
  for (const auto& other : effective.policy.rules) {
    if (other.verdict != policy::Verdict::deny || !have_in_common(rule, other)) continue;
    auto stands_in = [&](const ConfigFile& file) { return other.origin.starts_with(file.shown + ":"); };
    std::string how = "belljar policy show --origin";
    if (stands_in(user_config_file(directories)))
      how = fmt::format("belljar deny --remove --every-jar '{}'", other.host.text());
    else if (!target.jar.empty() && stands_in(jar_config_file(directories, target.jar)))
      how = fmt::format("belljar deny --remove --jar {} '{}'", target.jar, other.host.text());
    return std::optional<std::string>(fmt::format("the deny rule for {} at {} still beats it: {}",
                                                  other.host.text(),
                                                  ledger::make_printable(other.origin, 300), how));
  }
  return std::optional<std::string>{};
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
  config::RulesFile file{.path = target.file.path,
                         .shown_path = target.file.shown,
                         .written = keeper::written_by_jars(directories.jars())};
  const char* verb = command.allow ? "allowed" : "denied";
  if (!command.take_back) (void)TRY(config::check_rule(file, rule));  // what isn't done is on no record
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
  // The rule stands by now: what can't be told about it is no failure.
  Result<std::optional<std::string>> denies = std::optional<std::string>{};
  if (command.allow) denies = what_still_denies(rule, target, directories);
  auto beaten = denies.ok() ? *denies : std::nullopt;
  if (command.json) {
    print_json({{"host", rule.host.text()},
                {"verdict", name_of(rule.verdict)},
                {"jar", target.jar},
                {"added", added},
                {"still_denied", beaten.value_or("")},
                {"file", target.file.path},
                {"counts_from_next_start", target.running}});
    return 0;
  }
  fmt::print("{} is {} for {} ({}{})\n", rule.host.text(), verb, target.whom, added ? "" : "already in ",
             target.file.shown);
  if (beaten) fmt::print("{}\n", *beaten);
  if (target.running) fmt::print("it counts from the next start of the jar, which is running now\n");
  return 0;
}

}  // namespace belljar::cli
