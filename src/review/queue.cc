#include "review/queue.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace belljar::review {

Result<Proposal> Queue::find(std::uint64_t number) const {
  for (const auto& proposal : proposals_)
    if (proposal.number == number) return proposal;
  return Error(ErrorCode::not_found, fmt::format("there is no proposal {}", number))
      .with_hint("belljar review ls --all");
}

const Proposal* Queue::find_binding(std::string_view binding) const {
  for (const auto& proposal : proposals_)
    if (binding_of(proposal) == binding) return &proposal;
  return nullptr;
}

bool Queue::is_approved(std::string_view workspace, std::string_view content) const {
  // By the content itself: what was approved is what was shown.
  return std::any_of(proposals_.begin(), proposals_.end(), [&](const Proposal& proposal) {
    return proposal.kind == Kind::project && proposal.state == State::approved &&
           proposal.workspace == workspace && proposal.content == content;
  });
}

/// The one with the highest number stays in any case: numbers are counted on from it.
void Queue::make_room(const std::string& jar) {
  std::size_t open = 0;
  auto oldest = proposals_.end();
  std::uint64_t highest = 0;
  for (const auto& proposal : proposals_)
    highest = std::max(highest, proposal.number);
  for (auto at = proposals_.begin(); at != proposals_.end(); ++at) {
    if (at->kind != Kind::host || at->state != State::open || at->jar != jar) continue;
    ++open;
    if (at->number == highest) continue;
    if (oldest == proposals_.end() || std::pair(at->seen, at->last) < std::pair(oldest->seen, oldest->last))
      oldest = at;
  }
  if (open < kMaxOpenOfJar || oldest == proposals_.end()) return;
  dropped_.push_back(oldest->number);
  ++gave_way_[jar];
  proposals_.erase(oldest);
}

bool Queue::mark_seen() {
  bool changed = !gave_way_.empty();
  gave_way_.clear();
  for (auto& proposal : proposals_) {
    if (proposal.state != State::open || proposal.seen) continue;
    proposal.seen = true;
    changed = true;
  }
  return changed;
}

std::uint64_t Queue::add(Proposal proposal) {
  auto binding = binding_of(proposal);
  if (proposal.kind == Kind::project)
    for (auto& other : proposals_)
      if (other.kind == Kind::project && other.state == State::open &&
          other.workspace == proposal.workspace && other.hash != proposal.hash)
        other.state = State::outdated;
  for (auto& other : proposals_) {
    if (binding_of(other) != binding) continue;
    if (proposal.kind == Kind::host) ++other.count;
    other.last = std::max(other.last, proposal.last);
    if (other.state == State::outdated) {
      other.state = State::open;
      other.decision.reset();
    }
    return other.number;
  }
  if (proposal.kind == Kind::host) make_room(proposal.jar);
  std::uint64_t highest = 0;
  for (const auto& other : proposals_)
    highest = std::max(highest, other.number);
  proposal.number = highest + 1;
  proposal.state = State::open;
  proposal.decision.reset();
  proposals_.push_back(std::move(proposal));
  return highest + 1;
}

bool Queue::withdraw(std::string_view workspace) {
  bool changed = false;
  for (auto& proposal : proposals_) {
    if (proposal.kind != Kind::project || proposal.state != State::approved ||
        proposal.workspace != workspace)
      continue;
    proposal.state = State::outdated;
    changed = true;
  }
  return changed;
}

Result<void> Queue::check(std::uint64_t number, State wanted) const {
  auto proposal = TRY(find(number));
  if (wanted == State::always && proposal.kind == Kind::project)
    return Error(ErrorCode::invalid_argument,
                 "a belljar.toml is approved for its exact content only, not for always")
        .with_hint(fmt::format("belljar review approve {}", number));
  if (proposal.state == State::outdated)
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the file that proposal {} showed has been replaced or removed", number))
        .with_hint("belljar review ls");
  if (proposal.state == wanted)
    return Error(ErrorCode::already_exists,
                 fmt::format("proposal {} is {} already", number, name_of(proposal.state)))
        .with_hint("belljar review ls --all");
  bool has_rule = proposal.state == State::approved || proposal.state == State::always;
  if (proposal.kind == Kind::host && has_rule)
    return Error(ErrorCode::invalid_argument,
                 fmt::format("proposal {} is {}, and its rule written", number, name_of(proposal.state)))
        .with_hint(fmt::format("belljar allow --remove {}{}", proposal.host,
                               proposal.state == State::always ? " --every-jar" : " --jar " + proposal.jar));
  return {};
}

Result<Proposal> Queue::decide(std::uint64_t number, Decision decision) {
  CHECK(decision.state == State::approved || decision.state == State::always ||
        decision.state == State::rejected);
  TRY(check(number, decision.state));
  auto found = std::find_if(proposals_.begin(), proposals_.end(),
                            [&](const Proposal& proposal) { return proposal.number == number; });
  if (found->kind == Kind::project && decision.state == State::approved) (void)withdraw(found->workspace);
  found->state = decision.state;
  found->decision = std::move(decision);
  return *found;
}

}  // namespace belljar::review
