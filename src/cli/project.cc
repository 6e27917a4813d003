#include "cli/project.h"

#include <cstdio>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/decision.h"
#include "cli/wrap.h"
#include "config/project.h"
#include "keeper/tell.h"
#include "ledger/store.h"
#include "review/store.h"

namespace belljar::cli {

namespace {

bool at_terminal() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

/// Yes, no, or nothing where the person went away.
std::optional<bool> ask(const review::Proposal& proposal, const config::Config& user) {
  keeper::tell(
      fmt::format("{} has a belljar.toml that nobody has approved yet. Agents can write it. It would:",
                  proposal.workspace));
  for (const auto& change : described_project(proposal.content, user))
    for (const auto& line : wrap(change))
      keeper::tell_more(line);
  keeper::tell_more(
      fmt::format("The answer counts for exactly this content (belljar review show {}).", proposal.number));
  fmt::print(stderr, "Let it count? [y/N] ");
  std::fflush(stderr);
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return !line.empty() && (line.front() == 'y' || line.front() == 'Y');
}

Result<void> decide(review::Store& store, const review::Proposal& proposal, bool yes,
                    const keeper::Directories& directories) {
  auto state = yes ? review::State::approved : review::State::rejected;
  ledger::Event event{.kind = ledger::Kind::decision, .verdict = yes ? "allow" : "deny"};
  event.reason = fmt::format("{} {} proposal {}: belljar.toml of {}, SHA-256 {}: at the start's question",
                             deciding_user(), yes ? "approves" : "rejects", proposal.number,
                             proposal.workspace, proposal.hash);
  TRY(record_decision(event, "", directories));
  return store.change([&](review::Content& content) -> Result<void> {
    (void)TRY(content.queue.decide(proposal.number, {.state = state,
                                                     .who = deciding_user(),
                                                     .time = ledger::wall_clock(),
                                                     .why = "at the start's question"}));
    return {};
  });
}

/// Files the proposal; what it is known as, with what was decided on it.
Result<review::Proposal> file(review::Store& store, const review::Proposal& wanted) {
  review::Proposal filed;
  auto add = [&](review::Content& content) -> Result<void> {
    filed = TRY(content.queue.find(content.queue.add(wanted)));
    return {};
  };
  TRY(store.change(add));
  return filed;
}

/// Whether the content counts; where it doesn't, a note says why.
Result<bool> is_approved(const review::Proposal& wanted, const config::Config& user,
                         const keeper::Directories& directories, bool may_ask,
                         std::vector<std::string>& notes) {
  auto store = TRY(review::Store::open(directories.review()));
  if (TRY(store.load()).queue.is_approved(wanted.workspace, wanted.content)) return true;
  if (!may_ask) {
    notes.emplace_back("belljar.toml is not approved and does not count: belljar review");
    return false;
  }
  auto proposal = TRY(file(store, wanted));
  if (proposal.state == review::State::rejected) {
    notes.push_back(
        fmt::format("belljar.toml was rejected and does not count; to change that: belljar review approve {}",
                    proposal.number));
    return false;
  }
  if (at_terminal()) {
    TRY(check_readable(described_project(proposal.content, user)));
    if (auto answer = ask(proposal, user)) {
      TRY(decide(store, proposal, *answer, directories));
      return *answer;
    }
  }
  notes.push_back(fmt::format(
      "belljar.toml is not approved and does not count; to see it and decide: belljar review show {}",
      proposal.number));
  return false;
}

/// The file is gone, and with it what was approved of it.
Result<void> forget(const std::string& workspace, const keeper::Directories& directories) {
  std::error_code error;
  if (!std::filesystem::exists(review::Store::path_in(directories.review()), error)) return {};
  auto store = TRY(review::Store::open(directories.review()));
  auto seen = TRY(store.load());
  if (!seen.queue.withdraw(workspace)) return {};
  return store.change([&](review::Content& content) -> Result<void> {
    (void)content.queue.withdraw(workspace);
    return {};
  });
}

}  // namespace

std::vector<std::string> described_project(const std::string& content, const config::Config& user) {
  auto parsed = config::parse_project(content);
  if (!parsed) return {parsed.error().message()};
  std::vector<std::string> lines;
  for (const auto& change : config::changes_of(*parsed, user))
    lines.push_back(
        fmt::format("{} {}  [{}]", change.widens ? "+ widen:" : "  also: ", change.what, change.origin));
  if (lines.empty()) lines.emplace_back("change nothing");
  return lines;
}

std::optional<review::Proposal> undecided_project(const std::string& workspace) {
  auto text = config::read_project_file(workspace);
  if (!text || !text->has_value() || !config::parse_project(**text)) return {};
  return review::propose_project(workspace, **text, ledger::wall_clock());
}

Result<void> check_readable(const std::vector<std::string>& described) {
  constexpr std::size_t kMostOfAChange = 4096;  // bytes
  constexpr std::size_t kMostChanges = 256;
  for (const auto& line : described)
    if (line.size() > kMostOfAChange)
      return Error(ErrorCode::limit_exceeded,
                   "one change of this belljar.toml takes more than 4 KiB to say, so it can't be approved: " +
                       line.substr(0, 200) + "…")
          .with_hint("make it several rules with shorter lists");
  if (described.size() > kMostChanges)
    return Error(ErrorCode::limit_exceeded,
                 fmt::format("this belljar.toml makes {} changes, more than {}, so it can't be approved",
                             described.size(), kMostChanges))
        .with_hint("put what only you need into ~/.config/belljar/config.toml");
  return {};
}

bool has_no_project(const std::string& workspace) {
  auto text = config::read_project_file(workspace);
  return text.ok() && !text->has_value();
}

Result<Consulted> consult_project(const std::string& workspace, const config::Config& user,
                                  const keeper::Directories& directories, bool may_ask) {
  Consulted consulted;
  auto ignored = [&](const Error& error) {
    consulted.notes.push_back("belljar.toml does not count: " + error.to_string());
    return std::move(consulted);
  };
  auto text = config::read_project_file(workspace);
  if (!text) return ignored(text.error());
  if (!text->has_value()) {
    auto forgotten = may_ask ? forget(workspace, directories) : Result<void>();
    if (!forgotten)
      consulted.notes.push_back("belljar.toml is gone, and its approval stays for now: " +
                                forgotten.error().to_string());
    return consulted;
  }
  auto parsed = config::parse_project(**text);
  if (!parsed) return ignored(parsed.error());
  auto proposal = review::propose_project(workspace, **text, ledger::wall_clock());
  // A queue that can't be read approves nothing.
  auto approved = is_approved(proposal, user, directories, may_ask, consulted.notes);
  if (!approved) {
    auto hint = approved.error().hint();
    consulted.notes.push_back("belljar.toml does not count: " + approved.error().to_string() +
                              (hint.empty() ? "" : "; try: " + hint));
    return consulted;
  }
  if (*approved) consulted.config = std::move(parsed).value();
  return consulted;
}

}  // namespace belljar::cli
