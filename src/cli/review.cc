// `belljar review`: what waits for a person, and what the person says.
#include <ctime>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/decision.h"
#include "cli/effective.h"
#include "cli/json.h"
#include "cli/project.h"
#include "cli/table.h"
#include "cli/wrap.h"
#include "config/rules_file.h"
#include "keeper/tell.h"
#include "keeper/written_by_jars.h"
#include "ledger/json.h"
#include "ledger/printable.h"
#include "ledger/store.h"
#include "review/denials.h"
#include "review/store.h"

namespace belljar::cli {

namespace {

using review::Kind;
using review::Proposal;
using review::State;

constexpr std::uint64_t kRowsAtOnce = 10'000;
constexpr std::size_t kShownText = 4096;

/// What a jar may have chosen, fit for a terminal.
std::string shown(std::string_view text) { return ledger::make_printable(text, kShownText); }

std::string request_of(const Proposal& proposal) {
  auto port = proposal.port == policy::default_port(proposal.scheme) ? "" : fmt::format(":{}", proposal.port);
  return fmt::format("{} {}://{}{}", proposal.method, name_of(proposal.scheme), proposal.host, port);
}

std::string subject_of(const Proposal& proposal) {
  if (proposal.kind == Kind::project) return shown(proposal.workspace + "/belljar.toml");
  return shown(request_of(proposal));
}

/// The policies of the jars that there are, each read once.
class Policies {
 public:
  Policies(const keeper::Directories& directories, std::vector<keeper::JarRecord> jars)
      : directories_(directories), jars_(std::move(jars)) {}

  /// Nothing for a jar that is gone.
  Result<const policy::Policy*> of(const std::string& jar) {
    if (auto known = known_.find(jar); known != known_.end()) return &known->second;
    for (const auto& record : jars_) {
      if (record.name != jar) continue;
      std::optional<agents::Profile> profile;
      if (agents::has_profile(record.agent)) profile = TRY(agents::load_profile(record.agent));
      auto effective = TRY(load_effective(
          directories_,
          {.jar = jar, .workspace = record.workspace, .profile = profile ? &*profile : nullptr}));
      return &known_.emplace(jar, std::move(effective.policy)).first->second;
    }
    return nullptr;
  }

 private:
  const keeper::Directories& directories_;
  std::vector<keeper::JarRecord> jars_;
  std::map<std::string, policy::Policy> known_;
};

/// What was denied since the ledger was last read, and how far it is read now.
struct News {
  std::vector<Proposal> proposals;
  std::uint64_t read = 0;
};

Result<News> read_ledger(const keeper::Directories& directories, std::uint64_t after, Policies& policies) {
  News news{.read = after};
  auto ledger = TRY(ledger::Store::open_existing(directories.ledger()));
  if (!ledger) return news;
  while (true) {
    auto rows = TRY(ledger->list({.after = news.read, .limit = kRowsAtOnce, .from_start = true}));
    for (const auto& row : rows) {
      news.read = row.sequence;
      if (row.event.kind != ledger::Kind::request || row.event.verdict != "deny") continue;
      const auto* policy = TRY(policies.of(row.jar));
      if (policy == nullptr) continue;
      if (auto proposal = review::proposal_of(row, *policy)) news.proposals.push_back(std::move(*proposal));
    }
    if (rows.size() < kRowsAtOnce) return news;
  }
}

/// Brings the queue up to date: denials that the ledger has, files that stand in the workspaces.
Result<review::Content> update(review::Store& store, const keeper::Directories& directories) {
  auto all_jars = TRY(keeper::Jars::open(directories.jars()));
  auto jars = TRY(all_jars.list());
  auto before = TRY(store.load());
  Policies policies(directories, jars);
  auto news = TRY(read_ledger(directories, before.ledger_read, policies));
  std::vector<Proposal> files;
  std::vector<std::string> without_file;
  for (const auto& jar : jars) {
    if (jar.workspace.empty()) continue;
    if (auto file = undecided_project(jar.workspace)) files.push_back(std::move(*file));
    if (has_no_project(jar.workspace)) without_file.push_back(jar.workspace);
  }
  review::Content after;
  auto add = [&](review::Content& content) -> Result<void> {
    if (content.ledger_read == before.ledger_read) {  // else another command has counted them
      for (auto& proposal : news.proposals)
        (void)content.queue.add(std::move(proposal));
      content.ledger_read = news.read;
    }
    for (const auto& workspace : without_file)
      (void)content.queue.withdraw(workspace);
    for (auto& file : files)
      (void)content.queue.add(std::move(file));
    after = content;
    return {};
  };
  TRY(store.change(add));
  return after;
}

nlohmann::ordered_json to_json(const Proposal& proposal) {
  nlohmann::ordered_json json = {{"number", proposal.number},
                                 {"kind", name_of(proposal.kind)},
                                 {"state", name_of(proposal.state)},
                                 {"first", ledger::format_time(proposal.first)},
                                 {"last", ledger::format_time(proposal.last)}};
  if (proposal.kind == Kind::project) {
    json["workspace"] = proposal.workspace;
    json["sha256"] = proposal.hash;
  } else {
    json["jar"] = proposal.jar;
    json["count"] = proposal.count;
    json["scheme"] = name_of(proposal.scheme);
    json["host"] = proposal.host;
    json["port"] = proposal.port;
    json["method"] = proposal.method;
  }
  if (proposal.decision)
    json["decision"] = {{"verdict", name_of(proposal.decision->state)},
                        {"who", proposal.decision->who},
                        {"when", ledger::format_time(proposal.decision->time)},
                        {"why", proposal.decision->why}};
  return json;
}

void tell_gave_way(const review::Queue& queue) {
  for (const auto& [jar, count] : queue.gave_way())
    keeper::tell(fmt::format(
        "jar '{0}' asked for so much that {1} older requests gave way unseen: belljar log {0}", jar, count));
}

int list(const Review& command, const review::Queue& queue) {
  tell_gave_way(queue);
  auto json = nlohmann::ordered_json::array();
  Table table({"NUMBER", "STATE", "JAR", "ASKED", "WHAT"});
  for (const auto& proposal : queue.proposals()) {
    if (!command.all && proposal.state != State::open) continue;
    json.push_back(to_json(proposal));
    table.add({std::to_string(proposal.number), std::string(name_of(proposal.state)),
               proposal.jar.empty() ? "-" : shown(proposal.jar),
               proposal.kind == Kind::host ? fmt::format("{} ×", proposal.count) : "-",
               subject_of(proposal)});
  }
  if (command.json) {
    print_json(json);
    return 0;
  }
  if (json.empty()) {
    fmt::print("nothing waits for you\n");
    return 0;
  }
  fmt::print(
      "{}to look at one: belljar review show NUMBER; to decide: belljar review approve|reject|always "
      "NUMBER\n",
      table.to_string());
  return 0;
}

void print_content(const std::string& content) {
  fmt::print("the whole file:\n");
  std::string_view rest = content;
  while (!rest.empty()) {
    auto end = rest.find('\n');
    for (const auto& line : wrap(rest.substr(0, end)))
      fmt::print("  | {}\n", line);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
}

Result<std::vector<std::string>> changes_of(const Proposal& proposal,
                                            const keeper::Directories& directories) {
  std::vector<std::string> notes;
  auto user = TRY(load_config_of(directories, {}, notes));
  return described_project(proposal.content, user);
}

Result<std::string> rule_text(const Proposal& proposal) {
  auto rule = TRY(review::rule_of(proposal));
  return config::to_toml(rule);
}

Result<int> show(const Review& command, const Proposal& proposal, const keeper::Directories& directories) {
  auto changes = std::vector<std::string>();
  std::string rule;
  if (proposal.kind == Kind::project)
    changes = TRY(changes_of(proposal, directories));
  else
    rule = TRY(rule_text(proposal));
  if (command.json) {
    auto json = to_json(proposal);
    if (proposal.kind == Kind::project) {
      json["changes"] = changes;
      json["content"] = proposal.content;
    } else {
      json["rule"] = rule;
    }
    print_json(json);
    return 0;
  }
  fmt::print("{}: {} ({})\n", proposal.number, subject_of(proposal), name_of(proposal.state));
  if (proposal.decision)
    fmt::print("{} by {}{}\n", name_of(proposal.decision->state), shown(proposal.decision->who),
               proposal.decision->why.empty() ? "" : ": " + shown(proposal.decision->why));
  if (proposal.kind == Kind::project) {
    fmt::print("SHA-256 {}\nit would:\n", proposal.hash);
    for (const auto& change : changes)
      for (const auto& line : wrap(change))
        fmt::print("  {}\n", line);
    print_content(proposal.content);
  } else {
    fmt::print(
        "jar {} asked {} times; no rule has a word on this kind of request, so it was denied\n"
        "approve lets this jar, always lets every jar do this, whatever the path:\n\n{}\n",
        shown(proposal.jar), proposal.count, rule);
  }
  return 0;
}

/// The file that the rule of an approval goes to.
ConfigFile target_of(const Proposal& proposal, State state, const keeper::Directories& directories) {
  return state == State::always ? user_config_file(directories) : jar_config_file(directories, proposal.jar);
}

Result<void> record(const Proposal& proposal, const review::Decision& decision,
                    const keeper::Directories& directories) {
  bool allows = decision.state != State::rejected;
  ledger::Event event{.kind = ledger::Kind::decision, .verdict = allows ? "allow" : "deny"};
  auto verb = decision.state == State::always ? "approves for every jar" : allows ? "approves" : "rejects";
  event.reason = fmt::format("{} {} proposal {}", decision.who, verb, proposal.number);
  if (proposal.kind == Kind::project) {
    event.reason += fmt::format(": belljar.toml of {}, SHA-256 {}", proposal.workspace, proposal.hash);
  } else {
    event.scheme = name_of(proposal.scheme);
    event.host = proposal.host;
    event.port = proposal.port;
    event.method = proposal.method;
    if (allows) event.origin = target_of(proposal, decision.state, directories).shown;
  }
  if (!decision.why.empty()) event.reason += ": " + decision.why;
  return record_decision(event, decision.state == State::always ? "" : proposal.jar, directories);
}

/// Recorded first, then in force, then out of the queue: what is cut off in between can be said again.
Result<Proposal> decide(review::Store& store, const Proposal& proposal, const review::Decision& decision,
                        const keeper::Directories& directories) {
  if (proposal.kind == Kind::host && decision.state != State::rejected) {
    auto jars = TRY(keeper::Jars::open(directories.jars()));
    if (decision.state == State::approved) (void)TRY(jars.find(proposal.jar));
  }
  if (proposal.kind == Kind::project && decision.state == State::approved) {
    auto changes = TRY(changes_of(proposal, directories));
    TRY(check_readable(changes));
  }
  TRY(record(proposal, decision, directories));
  if (proposal.kind == Kind::host && decision.state != State::rejected) {
    auto file = target_of(proposal, decision.state, directories);
    auto rule = TRY(review::rule_of(proposal));
    (void)TRY(config::add_rule(
        {.path = file.path, .shown_path = file.shown, .written = keeper::written_by_jars(directories.jars())},
        rule));
  }
  Proposal decided;
  auto mark = [&](review::Content& content) -> Result<void> {
    decided = TRY(content.queue.decide(proposal.number, decision));
    return {};
  };
  TRY(store.change(mark));
  return decided;
}

void tell_decided(const Proposal& proposal, const keeper::Directories& directories) {
  fmt::print("proposal {} {}: {}\n", proposal.number,
             proposal.state == State::rejected ? "rejected" : "approved", subject_of(proposal));
  if (proposal.state == State::rejected) return;
  if (proposal.kind == Kind::host)
    fmt::print("it is allowed for {} ({}), from the next start on\n",
               proposal.state == State::always ? "every jar" : "jar " + shown(proposal.jar),
               target_of(proposal, proposal.state, directories).shown);
  else
    fmt::print("exactly this content (SHA-256 {}) counts from the next start on\n", proposal.hash);
}

State state_of(Review::Action action) {
  if (action == Review::Action::approve) return State::approved;
  return action == Review::Action::always ? State::always : State::rejected;
}

Result<int> decide_all(const Review& command, review::Store& store, const review::Queue& queue,
                       const keeper::Directories& directories) {
  auto state = state_of(command.action);
  for (auto number : command.numbers)  // all or none, as far as that can be known before
    TRY(queue.check(number, state));
  auto json = nlohmann::ordered_json::array();
  for (auto number : command.numbers) {
    review::Decision decision{
        .state = state, .who = deciding_user(), .time = ledger::wall_clock(), .why = command.reason};
    auto proposal = TRY(queue.find(number));
    auto decided = TRY(decide(store, proposal, decision, directories));
    if (command.json)
      json.push_back(to_json(decided));
    else
      tell_decided(decided, directories);
  }
  if (command.json) print_json(json);
  return 0;
}

}  // namespace

Result<int> run_command(const Review& command, const keeper::Directories& directories) {
  auto store = TRY(review::Store::open(directories.review()));
  auto content = TRY(update(store, directories));
  if (command.action == Review::Action::list) {
    int code = list(command, content.queue);
    // Not worth a failure: the list is what was asked for.
    if (content.queue.mark_seen())
      (void)store.change([](review::Content& all) -> Result<void> {
        (void)all.queue.mark_seen();
        return {};
      });
    return code;
  }
  if (command.action == Review::Action::show) {
    auto proposal = TRY(content.queue.find(command.numbers.front()));
    return show(command, proposal, directories);
  }
  return decide_all(command, store, content.queue, directories);
}

}  // namespace belljar::cli
