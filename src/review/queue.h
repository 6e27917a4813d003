// Queue: all proposals and what may become of each. Pure: the same calls give the same queue.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "review/proposal.h"

namespace belljar::review {

/// A jar that asks for ever new hosts fills its own share and nothing else: there the oldest that nobody has
/// seen gives way to the newest, and of those that were seen the oldest when there is no other.
inline constexpr std::size_t kMaxOpenOfJar = 200;

class Queue {
 public:
  Queue() = default;
  explicit Queue(std::vector<Proposal> proposals, std::map<std::string, std::uint64_t> gave_way = {})
      : proposals_(std::move(proposals)), gave_way_(std::move(gave_way)) {}

  [[nodiscard]] const std::vector<Proposal>& proposals() const { return proposals_; }
  /// not_found says what there is to do.
  [[nodiscard]] Result<Proposal> find(std::uint64_t number) const;
  [[nodiscard]] const Proposal* find_binding(std::string_view binding) const;
  /// Whether this very content of the workspace's file was approved, and still is.
  [[nodiscard]] bool is_approved(std::string_view workspace, std::string_view content) const;

  /// Adds it, or counts one that binds the same (an outdated one is open again; a decided one stays decided).
  /// A new content of a workspace's file makes its older open ones outdated. Where the jar has kMaxOpenOfJar
  /// open ones already, one of them gives way. Answers its number; no number is given twice.
  std::uint64_t add(Proposal proposal);

  /// A person has been shown all open ones, and how many gave way. Whether that changes anything.
  bool mark_seen();
  /// How many open ones of each jar gave way since a person looked.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& gave_way() const { return gave_way_; }
  /// Numbers that are in the queue no more.
  [[nodiscard]] const std::vector<std::uint64_t>& dropped() const { return dropped_; }

  /// The workspace has no such file any more: what was approved of it is outdated, so that nobody brings it
  /// back without a question. Whether that changes anything.
  bool withdraw(std::string_view workspace);

  /// What was approved can be rejected and the reverse, as long as that means something: `always` is for
  /// hosts only, an outdated content can't be decided any more, and a rule that was written is taken back
  /// with `belljar deny` or `belljar allow --remove`.
  [[nodiscard]] Result<void> check(std::uint64_t number, State wanted) const;
  /// After check(). Answers the proposal as it is now. An approved content of a workspace's file makes every
  /// other approved one outdated: going back to what was allowed before is a decision, too.
  Result<Proposal> decide(std::uint64_t number, Decision decision);

 private:
  void make_room(const std::string& jar);

  std::vector<Proposal> proposals_;
  std::map<std::string, std::uint64_t> gave_way_;
  std::vector<std::uint64_t> dropped_;
};

}  // namespace belljar::review
