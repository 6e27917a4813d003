#include "undo/difference.h"

#include <algorithm>

namespace belljar::undo {

namespace {

class Comparison {
 public:
  Comparison(const State& now, const State& then) : now_(now), then_(then), unsaved_(holds_unsaved(now)) {}

  std::vector<Change> run(std::uint32_t now, std::uint32_t then, const std::string& path) {
    add_pair(now, then, path);
    while (!waiting_.empty()) {
      auto pair = std::move(waiting_.back());
      waiting_.pop_back();
      compare_directories(pair);
    }
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const Change& a, const Change& b) { return a.path < b.path; });
    return std::move(changes_);
  }

 private:
  struct Pair {
    std::uint32_t now;  ///< directories; kNone where there is none
    std::uint32_t then;
    std::string path;
  };

  static bool is_of_git(const std::string& path) {
    return path.starts_with(".git/") || path.find("/.git/") != std::string::npos;
  }

  void add(Change::Kind kind, const std::string& path, const Entry& entry) {
    changes_.push_back({kind, path, entry.is_directory(), is_of_git(path)});
  }

  /// Entries of either state; kNone where it has none.
  void add_pair(std::uint32_t now, std::uint32_t then, const std::string& path) {
    if (now == kNone) return add_missing(then, path);
    if (then == kNone) return add_extra(now, path);
    const auto& is = now_.entries[now];
    const auto& was = then_.entries[then];
    if (was.storage == Storage::unsaved || S_ISSOCK(was.mode)) return;
    bool both = is.child != kNone && was.child != kNone;
    if (!both && is.storage == Storage::unsaved) return add(Change::Kind::destroyed, path, is);
    if (!both && is.child != kNone && unsaved_[is.child]) return add(Change::Kind::destroyed, path, is);
    if (!has_same_content(is, was))
      add(Change::Kind::changed, path, was);
    else if (!is_same_entry(now_, is, then_, was))
      add(Change::Kind::attributes, path, was);
    if (both && now_.directories[is.child].listing == then_.directories[was.child].listing) return;
    if (is.child != kNone || was.child != kNone) waiting_.push_back({is.child, was.child, path});
  }

  void add_missing(std::uint32_t then, const std::string& path) {
    const auto& was = then_.entries[then];
    if (S_ISSOCK(was.mode)) return;
    add(was.storage == Storage::unsaved ? Change::Kind::lost : Change::Kind::brought_back, path, was);
    if (was.child != kNone) waiting_.push_back({kNone, was.child, path});
  }

  void add_extra(std::uint32_t now, const std::string& path) {
    const auto& is = now_.entries[now];
    bool kept = is.storage == Storage::unsaved || (is.child != kNone && unsaved_[is.child]);
    add(kept ? Change::Kind::kept : Change::Kind::removed, path, is);
    if (is.child != kNone) waiting_.push_back({is.child, kNone, path});
  }

  void compare_directories(const Pair& pair) {
    static constexpr Directory kEmpty{};
    const auto& is = pair.now == kNone ? kEmpty : now_.directories[pair.now];
    const auto& was = pair.then == kNone ? kEmpty : then_.directories[pair.then];
    auto n = is.first;
    auto t = was.first;
    while (n < is.first + is.count || t < was.first + was.count) {
      std::string_view in_now = n < is.first + is.count ? now_.name(now_.entries[n]) : std::string_view();
      std::string_view in_then =
          t < was.first + was.count ? then_.name(then_.entries[t]) : std::string_view();
      bool take_now = !in_now.empty() && (in_then.empty() || in_now <= in_then);
      bool take_then = !in_then.empty() && (in_now.empty() || in_then <= in_now);
      auto name = std::string(take_now ? in_now : in_then);
      add_pair(take_now ? n : kNone, take_then ? t : kNone,
               pair.path.empty() ? name : pair.path + "/" + name);
      n += take_now ? 1 : 0;
      t += take_then ? 1 : 0;
    }
  }

  const State& now_;
  const State& then_;
  std::vector<bool> unsaved_;
  std::vector<Pair> waiting_;
  std::vector<Change> changes_;
};

}  // namespace

bool differ_in_directory_times_only(const State& now, const State& then) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting{{0, 0}};  // entries
  while (!waiting.empty()) {
    auto [is, was] = waiting.back();
    waiting.pop_back();
    auto entry = now.entries[is];
    const auto& before = then.entries[was];
    if (now.name(entry) != then.name(before) || (entry.child == kNone) != (before.child == kNone))
      return false;
    if (entry.child != kNone) entry.modified = before.modified;
    if (!is_same_entry(now, entry, then, before)) return false;
    if (entry.child == kNone) continue;
    const auto& directory = now.directories[entry.child];
    const auto& earlier = then.directories[before.child];
    if (directory.listing == earlier.listing) continue;
    if (directory.count != earlier.count) return false;
    for (std::uint32_t n = 0; n < directory.count; ++n)
      waiting.emplace_back(directory.first + n, earlier.first + n);
  }
  return true;
}

std::vector<bool> holds_unsaved(const State& state) {
  std::vector<bool> holds(state.directories.size(), false);
  for (auto number = state.directories.size(); number-- > 0;) {
    const auto& directory = state.directories[number];
    for (auto n = directory.first; n < directory.first + directory.count; ++n) {
      const auto& entry = state.entries[n];
      if (entry.storage == Storage::unsaved || (entry.child != kNone && holds[entry.child]))
        holds[number] = true;
    }
  }
  return holds;
}

std::uint32_t find_path(const State& state, std::string_view path) {
  std::uint32_t entry = state.entries.empty() ? kNone : 0;
  while (!path.empty() && entry != kNone) {
    auto slash = std::min(path.find('/'), path.size());
    auto child = state.entries[entry].child;
    entry = child == kNone ? kNone : state.find(child, path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return entry;
}

std::vector<Change> compare(const State& now, const State& then, const std::string& path) {
  auto is = find_path(now, path);
  auto was = find_path(then, path);
  if (is == kNone && was == kNone) return {};
  return Comparison(now, then).run(is, was, path);
}

}  // namespace belljar::undo
