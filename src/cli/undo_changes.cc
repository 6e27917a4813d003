#include "cli/undo_changes.h"

#include <array>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "ledger/printable.h"

namespace belljar::cli {

namespace {

using Kind = undo::Change::Kind;
constexpr std::size_t kShown = 40;
constexpr std::size_t kKinds = 7;

struct Words {
  Kind kind;
  const char* line;
  const char* sum;
  const char* key;  ///< for programs
};
constexpr std::array<Words, kKinds> kWords{{
    {Kind::brought_back, "back     ", "brought back", "brought_back"},
    {Kind::changed, "changed  ", "changed back", "changed"},
    {Kind::removed, "removed  ", "removed", "removed"},
    {Kind::attributes, "mode/time", "only mode, owner or times", "attributes"},
    {Kind::kept, "kept     ", "kept, as they could not be saved", "kept"},
    {Kind::lost, "lost     ", "gone for good, as they had not been saved", "lost"},
    {Kind::destroyed, "in the way", "in the way, and can't be saved", "in_the_way"},
}};

const Words& words_of(Kind kind) {
  for (const auto& words : kWords)
    if (words.kind == kind) return words;
  return kWords[0];
}

}  // namespace

nlohmann::ordered_json count_changes(const std::vector<undo::Change>& changes) {
  auto counts = nlohmann::ordered_json::object();
  for (const auto& words : kWords)
    counts[words.key] = 0;
  for (const auto& change : changes) {
    auto& count = counts[words_of(change.kind).key];
    count = count.get<std::size_t>() + 1U + change.below;
  }
  return counts;
}

std::string shown(const std::string& path) { return ledger::make_printable(path, 4096); }

std::string show_changes(const std::vector<undo::Change>& changes, const undo::State& now,
                         const undo::State& then) {
  std::string text;
  std::array<std::size_t, kKinds> counts{};
  std::size_t of_git = 0;
  std::size_t lines = 0;
  std::size_t more = 0;
  for (const auto& change : changes) {
    counts[static_cast<std::size_t>(change.kind)] += 1U + change.below;
    bool telling = change.kind != Kind::attributes && (!change.of_git || change.kind == Kind::destroyed);
    of_git += (change.of_git ? 1U : 0U) + change.below_of_git;
    if (!telling) continue;
    if (lines++ < kShown)
      text += fmt::format("  {}  {}{}{}\n", words_of(change.kind).line, shown(path_of(change, now, then)),
                          change.directory ? "/" : "",
                          change.below != 0 ? fmt::format("  with {} in it", change.below) : "");
    else
      ++more;
  }
  if (more != 0) text += fmt::format("  … and {} more\n", more);
  std::string sums;
  for (const auto& words : kWords)
    if (auto count = counts[static_cast<std::size_t>(words.kind)]; count != 0)
      sums += fmt::format("{}{} {}", sums.empty() ? "" : ", ", count, words.sum);
  text += "  " + sums;
  if (of_git != 0) text += fmt::format(" ({} of these in .git)", of_git);
  return text + "\n";
}

}  // namespace belljar::cli
