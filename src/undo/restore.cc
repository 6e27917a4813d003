#include "undo/restore.h"

#include <cerrno>
#include <set>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/panic.h"
#include "undo/checkpoint.h"
#include "undo/descent.h"
#include "undo/staging.h"

namespace belljar::undo {

namespace {

bool is_beyond_undo(const Entry& was) { return was.storage == Storage::unsaved || S_ISSOCK(was.mode); }

bool is_disk_full(const Error& error) {
  return error.system_errno() == ENOSPC || error.system_errno() == EDQUOT;
}

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < path.size();) {
    auto slash = std::min(path.find('/', at), path.size());
    parts.push_back(path.substr(at, slash - at));
    at = slash + 1;
  }
  return parts;
}

/// Nobody else guesses it.
std::string new_staging_name() {
  std::uint64_t number = 0;
  CHECK(::getrandom(&number, sizeof number, 0) == sizeof number);
  return fmt::format(".belljar-undo-{:016x}", number);
}

/// Walks a workspace together with what is known of it and what it shall be.
class Restorer {
 public:
  Restorer(Store& store, const State& now, const State& then, const Restoring& restoring)
      : store_(store),
        now_(now),
        then_(then),
        restoring_(restoring),
        path_(split(restoring.path)),
        unsaved_(holds_unsaved(now)),
        visited_(then.directories.size(), false),
        wanted_(then.entries.size(), false) {}

  Result<Restored> run() {
    choose_contents();
    auto journal =
        Journal{.target = restoring_.target, .path = restoring_.path, .staging = new_staging_name()};
    auto earlier = TRY(read_journal(store_.directory()));
    auto workspace = TRY(open_workspace(restoring_.workspace));
    auto descent = TRY(Descent::begin(std::move(workspace), Descent::For::writing));
    if (earlier) TRY(remove_entry(descent.here(), earlier->staging));
    TRY(write_journal(store_.directory(), journal));
    auto done = carry_out(descent, journal.staging, earlier.has_value());
    descent.abandon();
    if (!done) {
      (void)descent.leave();
      return std::move(done).error();
    }
    TRY(finish(descent));
    Restored restored{.complaints = std::move(complaints_.lines), .complaint_count = complaints_.count};
    return restored;
  }

 private:
  /// A pair of directories that is being worked on; kNone where one of them isn't.
  struct Frame {
    std::uint32_t now = kNone;
    std::uint32_t then = kNone;
    std::uint32_t n = 0;
    std::uint32_t n_end = 0;
    std::uint32_t t = 0;
    std::uint32_t t_end = 0;
    bool finished_by_mode = false;  ///< keeps what it has, but for its mode
  };

  // --- what has to be written ----------------------------------------------------------------------------

  /// Entries whose content has to be made anew, and directories that must be visited for them.
  void choose_contents() {
    auto now = find_path(now_, restoring_.path);
    auto then = find_path(then_, restoring_.path);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting{{now, then}};
    std::set<std::uint64_t> broken;  // labels of hard links
    std::vector<std::uint32_t> selected;
    while (!waiting.empty()) {
      auto [is, was] = waiting.back();
      waiting.pop_back();
      if (was == kNone || is_beyond_undo(then_.entries[was])) continue;
      const auto& entry = then_.entries[was];
      if (entry.link != 0) selected.push_back(was);
      if (entry.child == kNone) {
        bool same =
            is != kNone && has_same_content(now_.entries[is], entry) && now_.entries[is].link == entry.link;
        wanted_[was] = !same;
        if (!same && entry.link != 0) broken.insert(entry.link);
        continue;
      }
      auto child = is == kNone ? kNone : now_.entries[is].child;
      const auto& directory = then_.directories[entry.child];
      for (auto n = directory.first; n < directory.first + directory.count; ++n)
        waiting.emplace_back(child == kNone ? kNone : now_.find(child, then_.name(then_.entries[n])), n);
    }
    for (auto number : selected)
      if (broken.contains(then_.entries[number].link)) wanted_[number] = true;
    mark_visited();
  }

  void mark_visited() {
    for (auto number = static_cast<std::uint32_t>(then_.directories.size()); number-- > 0;) {
      const auto& directory = then_.directories[number];
      for (auto n = directory.first; n < directory.first + directory.count && !visited_[number]; ++n) {
        const auto& entry = then_.entries[n];
        visited_[number] = wanted_[n] || (entry.child != kNone && visited_[entry.child]);
      }
    }
  }

  Result<void> stage(Staging& staging) {
    for (std::uint32_t number = 0; number < then_.directories.size(); ++number) {
      const auto& directory = then_.directories[number];
      if (!visited_[number]) continue;
      for (auto n = directory.first; n < directory.first + directory.count; ++n)
        if (wanted_[n])
          TRY(staging.add(store_, then_, n, then_.shown_path(number, then_.entries[n]), complaints_));
    }
    return {};
  }

  // --- carrying it out -----------------------------------------------------------------------------------

  /// First beside, then into place. Where there is no space for "beside", what is to go makes some.
  Result<void> carry_out(Descent& descent, const std::string& staging_name, bool resumed) {
    auto top = TRY(os::open_file_at(descent.here(), ".", O_RDONLY | O_DIRECTORY));
    top_ = top.get();
    auto staged = stage_all(staging_name);
    if (!staged && is_disk_full(staged.error())) {
      TRY(remove_entry(top_, staging_name));
      TRY(apply(descent, nullptr));
      staged = stage_all(staging_name);
      resumed = true;
    }
    if (!staged) {
      (void)remove_entry(top_, staging_name);
      if (!resumed) (void)remove_journal(store_.directory());  // nothing was touched
      return std::move(staged).error();
    }
    TRY(apply(descent, &*staged));
    return remove_entry(top_, staging_name);
  }

  Result<Staging> stage_all(const std::string& name) {
    complaints_ = {};
    auto staging = TRY(Staging::make(top_, name));
    TRY(stage(staging));
    return staging;
  }

  /// Without a staging only what is to go is removed.
  Result<void> apply(Descent& descent, Staging* staging) {
    frames_.clear();
    push(now_.entries[0].child, then_.entries[0].child);
    while (true) {
      auto& frame = frames_.back();
      if (frame.n == frame.n_end && frame.t == frame.t_end) {
        auto done = frame;
        frames_.pop_back();
        if (frames_.empty()) return {};
        TRY(leave(descent, done, staging));
        continue;
      }
      auto [is, was] = next_pair(frame);
      auto name = std::string(is != kNone ? now_.name(now_.entries[is]) : then_.name(then_.entries[was]));
      if (frames_.size() <= path_.size() && name != path_[frames_.size() - 1]) continue;
      bool ancestor = frames_.size() < path_.size();
      if (was == kNone)
        TRY(remove_extra(descent, is, name, ancestor));
      else if (!is_beyond_undo(then_.entries[was]))
        TRY(make_as_it_was(descent, is, was, name, staging));
    }
  }

  void push(std::uint32_t now, std::uint32_t then) {
    Frame frame{.now = now, .then = then};
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

  std::pair<std::uint32_t, std::uint32_t> next_pair(Frame& frame) {
    bool has_now = frame.n < frame.n_end;
    bool has_then = frame.t < frame.t_end;
    int order = !has_now    ? 1
                : !has_then ? -1
                            : now_.name(now_.entries[frame.n]).compare(then_.name(then_.entries[frame.t]));
    auto is = order <= 0 ? frame.n++ : kNone;
    auto was = order >= 0 ? frame.t++ : kNone;
    return {is, was};
  }

  Result<void> remove_extra(Descent& descent, std::uint32_t is, const std::string& name, bool ancestor) {
    const auto& entry = now_.entries[is];
    bool holds = entry.child != kNone && unsaved_[entry.child] && !restoring_.discard;
    if (entry.child != kNone && (ancestor || holds)) {
      TRY(descent.enter(name));
      push(entry.child, kNone);
      return {};
    }
    if (entry.storage == Storage::unsaved && (!restoring_.discard || entry.reason == Reason::mounted))
      return {};
    return remove_entry(descent.here(), name);
  }

  Result<void> make_as_it_was(Descent& descent, std::uint32_t is, std::uint32_t was, const std::string& name,
                              Staging* staging) {
    const auto& entry = then_.entries[was];
    if (entry.child != kNone) return make_directory(descent, is, was, name, staging);
    if (staging == nullptr) return {};
    if (!wanted_[was]) {
      if (!is_same_entry(now_, now_.entries[is], then_, entry))
        complaints_.add(name, set_metadata_at(descent.here(), name, now_.entries[is], entry));
      return {};
    }
    if (is != kNone && now_.entries[is].is_directory()) TRY(remove_entry(descent.here(), name));
    return staging->place(was, descent.here(), name);
  }

  /// Only of the very file that was looked at, and as it was then: owner and mode of what somebody put into
  /// its place meanwhile are not ours to give.
  Result<void> set_metadata_at(int directory, const std::string& name, const Entry& is, const Entry& was) {
    auto file = TRY(open_entry(directory, name, O_PATH | O_NOFOLLOW));
    struct stat status {};
    if (::fstat(file.get(), &status) < 0) return Error::from_errno(errno, "look at it");
    // What the undo does to another name of the same file shows in its ctime.
    bool as_it_was = is.link == 0 ? to_moment(status.st_ctim) == is.changed
                                  : to_moment(status.st_mtim) == is.modified || touched_.contains(is.inode);
    if (status.st_ino != is.inode || !as_it_was)
      return Error(ErrorCode::cancelled, "it was changed while it was being restored");
    if (is.link != 0) touched_.insert(is.inode);
    return set_metadata_of(file.get(), was, then_.attributes(was));
  }

  Result<void> make_directory(Descent& descent, std::uint32_t is, std::uint32_t was, const std::string& name,
                              const Staging* staging) {
    const auto& entry = then_.entries[was];
    auto below = is == kNone ? kNone : now_.entries[is].child;
    bool same = below != kNone && is_same_entry(now_, now_.entries[is], then_, entry) &&
                now_.directories[below].listing == then_.directories[entry.child].listing;
    if (same && !visited_[entry.child]) return {};
    if (staging == nullptr && below == kNone) return {};
    if (below == kNone) {
      if (is != kNone) TRY(remove_entry(descent.here(), name));
      if (::mkdirat(descent.here(), name.c_str(), 0700) < 0 && errno != EEXIST)
        return Error::from_errno(errno, "make the directory " + name);
    }
    TRY(descent.enter(name));
    if (below != kNone && descent.status().st_ino != now_.entries[is].inode)
      return Error(ErrorCode::cancelled, name + " was replaced while it was being restored");
    bool ancestor = frames_.size() < path_.size();
    push(below, entry.child);
    frames_.back().finished_by_mode = ancestor && below != kNone;
    return {};
  }

  Result<void> leave(Descent& descent, const Frame& done, const Staging* staging) {
    if (done.then == kNone || staging == nullptr || done.finished_by_mode) return descent.leave();
    const auto& entry = then_.entries[then_.directories[done.then].entry];
    complaints_.add(std::string(then_.name(entry)),
                    set_metadata(descent.here(), entry, then_.attributes(entry)));
    return descent.leave(false);
  }

  /// The workspace itself last: everything before changes its time.
  Result<void> finish(Descent& descent) {
    if (restoring_.path.empty()) {
      complaints_.add(".",
                      set_metadata(descent.here(), then_.entries[0], then_.attributes(then_.entries[0])));
    }
    if (restoring_.durable && ::syncfs(descent.here()) < 0)
      return Error::from_errno(errno, "bring the workspace onto the disk");
    TRY(descent.leave(!restoring_.path.empty()));
    return remove_journal(store_.directory());
  }

  Store& store_;
  const State& now_;
  const State& then_;
  const Restoring& restoring_;
  std::vector<std::string> path_;
  std::vector<bool> unsaved_;
  std::vector<bool> visited_;  ///< directories of `then_` with something to be placed in or below
  std::vector<bool> wanted_;   ///< entries of `then_` to be made anew
  std::vector<Frame> frames_;
  Complaints complaints_;
  std::set<std::uint64_t> touched_;  ///< inodes of files with several names whose metadata was set
  int top_ = -1;
};

}  // namespace

Result<Restored> restore(Store& store, const State& now, const State& then, const Restoring& restoring) {
  if (!restoring.discard)
    if (auto path = find_destroyed(now, then, restoring.path))
      return Error(ErrorCode::already_exists,
                   *path + " is in the way of what was there, and could not be saved");
  return Restorer(store, now, then, restoring).run();
}

}  // namespace belljar::undo
