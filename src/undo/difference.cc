#include "undo/difference.h"

#include <algorithm>

namespace belljar::undo {

namespace {

/// For each directory, how many entries are in it and below, and how many of these are a repository's own.
struct Counts {
  std::uint32_t all = 0;
  std::uint32_t of_git = 0;
};

bool is_told(const Entry& entry) { return !S_ISSOCK(entry.mode); }

std::vector<Counts> count_below(const State& state) {
  std::vector<Counts> counts(state.directories.size());
  for (auto number = state.directories.size(); number-- > 0;) {
    const auto& directory = state.directories[number];
    for (auto n = directory.first; n < directory.first + directory.count; ++n) {
      const auto& entry = state.entries[n];
      if (is_told(entry)) ++counts[number].all;
      if (entry.child == kNone) continue;
      counts[number].all += counts[entry.child].all;
      counts[number].of_git +=
          state.name(entry) == ".git" ? counts[entry.child].all : counts[entry.child].of_git;
    }
  }
  return counts;
}

struct Place {
  std::uint32_t entry = kNone;
  std::uint32_t directory = kNone;  ///< that it is in
};

Place find_place(const State& state, std::string_view path) {
  Place place{.entry = state.entries.empty() ? kNone : 0};
  while (!path.empty() && place.entry != kNone) {
    auto slash = std::min(path.find('/'), path.size());
    place.directory = state.entries[place.entry].child;
    place.entry = place.directory == kNone ? kNone : state.find(place.directory, path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return place;
}

bool is_of_git(std::string_view path) {
  return path.starts_with(".git/") || path.find("/.git/") != std::string_view::npos;
}

/// Walks both states in the order of their names. Neither its memory nor its time may grow with the product
/// of entries and depth: a jar can nest directories without end.
class Comparison {
 public:
  Comparison(const State& now, const State& then, bool only_destroyed)
      : now_(now),
        then_(then),
        only_destroyed_(only_destroyed),
        unsaved_now_(holds_unsaved(now)),
        unsaved_then_(holds_unsaved(then)),
        below_now_(count_below(now)),
        below_then_(count_below(then)) {}

  std::vector<Change> run(const std::string& path) {
    auto is = find_place(now_, path);
    auto was = find_place(then_, path);
    if (is.entry == kNone && was.entry == kNone) return {};
    compare_pair(is, was, is_of_git(path));
    while (!frames_.empty()) {
      auto& frame = frames_.back();
      if (frame.n == frame.n_end && frame.t == frame.t_end) {
        frames_.pop_back();
        continue;
      }
      int order = frame.n == frame.n_end ? 1
                  : frame.t == frame.t_end
                      ? -1
                      : now_.name(now_.entries[frame.n]).compare(then_.name(then_.entries[frame.t]));
      Place now{.entry = order <= 0 ? frame.n++ : kNone, .directory = frame.now};
      Place then{.entry = order >= 0 ? frame.t++ : kNone, .directory = frame.then};
      compare_pair(now, then, frame.of_git);
    }
    return std::move(changes_);
  }

 private:
  struct Frame {
    std::uint32_t now;  ///< directories; kNone where there is none
    std::uint32_t then;
    std::uint32_t n;
    std::uint32_t n_end;
    std::uint32_t t;
    std::uint32_t t_end;
    bool of_git;
  };

  void enter(std::uint32_t now, std::uint32_t then, bool of_git) {
    Frame frame{now, then, 0, 0, 0, 0, of_git};
    if (now != kNone) {
      frame.n = now_.directories[now].first;
      frame.n_end = frame.n + now_.directories[now].count;
    }
    if (then != kNone) {
      frame.t = then_.directories[then].first;
      frame.t_end = frame.t + then_.directories[then].count;
    }
    frames_.push_back(frame);
  }

  void add(Change::Kind kind, Change::In in, const Place& place, bool of_git, Counts below = {}) {
    if (only_destroyed_ && kind != Change::Kind::destroyed) return;
    const auto& entry = (in == Change::In::now ? now_ : then_).entries[place.entry];
    changes_.push_back({.kind = kind,
                        .in = in,
                        .directory = entry.is_directory(),
                        .of_git = of_git,
                        .place = place.directory,
                        .entry = place.entry,
                        .below = below.all,
                        .below_of_git = of_git ? below.all : below.of_git});
  }

  void add_attributes(Entry is, const Entry& was, const Place& then, bool of_git) {
    if (only_destroyed_) return;
    add(Change::Kind::attributes, Change::In::then, then, of_git);
    is.modified = was.modified;
    changes_.back().only_time = is_same_entry(now_, is, then_, was);
  }

  static bool leads_into_git(const State& state, std::uint32_t entry, bool of_git) {
    return of_git || state.name(state.entries[entry]) == ".git";
  }

  void compare_pair(const Place& now, const Place& then, bool of_git) {
    if (now.entry == kNone) return add_missing(then, of_git);
    if (then.entry == kNone) return add_extra(now, of_git);
    const auto& is = now_.entries[now.entry];
    const auto& was = then_.entries[then.entry];
    if (was.storage == Storage::unsaved || S_ISSOCK(was.mode)) return;
    bool both = is.child != kNone && was.child != kNone;
    if (!both && (is.storage == Storage::unsaved || (is.child != kNone && unsaved_now_[is.child])))
      return add(Change::Kind::destroyed, Change::In::now, now, of_git);
    if (!has_same_content(is, was))
      add(Change::Kind::changed, Change::In::then, then, of_git);
    else if (!is_same_entry(now_, is, then_, was))
      add_attributes(is, was, then, of_git);
    if (both && now_.directories[is.child].listing == then_.directories[was.child].listing) return;
    if (is.child != kNone || was.child != kNone)
      enter(is.child, was.child, leads_into_git(then_, then.entry, of_git));
  }

  /// Told entry by entry only where not all of it has one fate.
  void add_missing(const Place& then, bool of_git) {
    const auto& was = then_.entries[then.entry];
    if (!is_told(was)) return;
    auto kind = was.storage == Storage::unsaved ? Change::Kind::lost : Change::Kind::brought_back;
    bool mixed = was.child != kNone && unsaved_then_[was.child];
    add(kind, Change::In::then, then, of_git, below(then_, below_then_, was, mixed));
    if (mixed) enter(kNone, was.child, leads_into_git(then_, then.entry, of_git));
  }

  void add_extra(const Place& now, bool of_git) {
    const auto& is = now_.entries[now.entry];
    bool mixed = is.child != kNone && unsaved_now_[is.child];
    bool kept = mixed || is.storage == Storage::unsaved;
    add(kept ? Change::Kind::kept : Change::Kind::removed, Change::In::now, now, of_git,
        below(now_, below_now_, is, mixed));
    if (mixed) enter(is.child, kNone, leads_into_git(now_, now.entry, of_git));
  }

  static Counts below(const State& state, const std::vector<Counts>& counts, const Entry& entry, bool mixed) {
    if (entry.child == kNone || mixed) return {};
    auto count = counts[entry.child];
    if (state.name(entry) == ".git") count.of_git = count.all;
    return count;
  }

  const State& now_;
  const State& then_;
  bool only_destroyed_;
  std::vector<bool> unsaved_now_;
  std::vector<bool> unsaved_then_;
  std::vector<Counts> below_now_;
  std::vector<Counts> below_then_;
  std::vector<Frame> frames_;
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

std::uint32_t find_path(const State& state, std::string_view path) { return find_place(state, path).entry; }

std::vector<Change> compare(const State& now, const State& then, const std::string& path) {
  return Comparison(now, then, false).run(path);
}

bool is_idle_time(const Change& change, bool all_of_git) {
  if (change.kind != Change::Kind::attributes || !change.only_time) return false;
  return all_of_git || change.of_git || change.directory;
}

bool is_changed_index(const Change& change, const State& then, bool all_of_git) {
  return change.kind == Change::Kind::changed && (all_of_git || change.of_git) &&
         then.entries[change.entry].storage == Storage::blob &&
         then.name(then.entries[change.entry]) == "index";
}

std::string path_of(const Change& change, const State& now, const State& then) {
  const auto& state = change.in == Change::In::now ? now : then;
  return state.shown_path(change.place, state.entries[change.entry]);
}

std::optional<std::string> find_destroyed(const State& now, const State& then, const std::string& path) {
  auto destroyed = Comparison(now, then, true).run(path);
  if (destroyed.empty()) return std::nullopt;
  return path_of(destroyed.front(), now, then);
}

}  // namespace belljar::undo
