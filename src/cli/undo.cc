// `belljar undo` and `belljar checkpoint`.
#include <algorithm>
#include <cerrno>
#include <ctime>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/effective.h"
#include "cli/question.h"
#include "cli/saving.h"
#include "cli/table.h"
#include "cli/undo_changes.h"
#include "cli/undo_target.h"
#include "keeper/jars.h"
#include "keeper/tell.h"
#include "undo/restore.h"

namespace belljar::cli {

namespace {

struct Meant {
  keeper::JarRecord jar;
  std::string directory;
  undo::Bounds bounds;
};

Result<Meant> find_meant(const keeper::Directories& directories, const std::string& name) {
  Meant meant{.jar = TRY(find_jar_around(directories, name))};
  if (meant.jar.workspace.empty())
    return Error(ErrorCode::not_found,
                 fmt::format("jar '{}' has no workspace that could be saved", meant.jar.name));
  meant.directory = directories.jars() + "/" + meant.jar.name;
  std::vector<std::string> notes;
  auto config =
      TRY(load_config_of(directories, {.jar = meant.jar.name, .workspace = meant.jar.workspace}, notes));
  meant.bounds = bounds_of(config.undo);
  return meant;
}

void tell_waiting() { keeper::tell("another belljar command is at this jar's checkpoints; waiting …"); }

std::string date_of(std::int64_t seconds) {
  auto time = static_cast<std::time_t>(seconds);
  std::tm local{};
  char text[32] = "-";
  if (::localtime_r(&time, &local) != nullptr)
    (void)std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
  return text;
}

int print_list(const std::vector<undo::Checkpoint>& checkpoints, std::uint64_t target, bool json) {
  if (json) {
    auto list = nlohmann::json::array();
    for (const auto& one : checkpoints)
      list.push_back({{"number", one.number},
                      {"made", one.made},
                      {"stood", one.stood},
                      {"why", one.why},
                      {"entries", one.entries},
                      {"unsaved", one.unsaved},
                      {"default", one.number == target},
                      {"damage", one.damage}});
    fmt::print("{}\n", list.dump(2, ' ', true, nlohmann::json::error_handler_t::replace));
    return 0;
  }
  Table table({"", "N", "SAVED", "STOOD UNTIL", "ENTRIES", "WHY"});
  for (const auto& one : checkpoints)
    table.add({one.number == target ? "*" : "", std::to_string(one.number), date_of(one.made),
               date_of(one.stood), std::to_string(one.entries),
               one.damage.empty() ? one.why : "damaged: " + one.damage});
  fmt::print("{}", table.to_string());
  return 0;
}

Error nothing_saved(const std::string& jar) {
  return Error(ErrorCode::not_found,
               fmt::format("nothing of the workspace of jar '{}' has been saved yet", jar))
      .with_hint("belljar checkpoint " + jar + "   (every start does it, too)");
}

/// The whole of one undo.
class Undoing {
 public:
  Undoing(const Undo& command, Meant meant, const keeper::Jars& jars, undo::Store& store)
      : command_(command), meant_(std::move(meant)), jars_(jars), store_(store) {}

  Result<int> run() {
    TRY(choose());
    auto then = TRY(store_.load(target_));
    missing_ = !TRY(is_there(meant_.jar.workspace));
    bool save_at_once = command_.yes && !command_.discard && !missing_;
    undo::State now;
    if (missing_)
      now = nothing();
    else
      now = TRY(save_at_once ? save() : look()).state;
    auto changes = undo::compare(now, then, path_);
    TRY(check_path(now, then));
    if (changes.empty() && !resuming_ && !missing_) {
      fmt::print("jar '{}': {} is as it was in checkpoint {}\n", meant_.jar.name, meant(), target_.number);
      return 0;
    }
    print_changes(changes, now, then);
    TRY(check_unsaved(now, then));
    if (!command_.yes && !TRY(ask_restore())) {
      fmt::print("nothing was changed\n");
      return 1;
    }
    TRY(check_nobody_runs_there(jars_, meant_.jar));  // the answer may have taken its time
    if (missing_) {
      TRY(make_missing_workspace(meant_.jar.workspace));
      now = TRY(look()).state;
    } else if (!save_at_once && !command_.discard) {
      now = TRY(save()).state;
    }
    auto restored = TRY(restore(now, then));
    return finish(then, restored);
  }

 private:
  /// An undo that was interrupted comes first, unless another one is asked for.
  Result<void> choose() {
    auto journal = TRY(undo::read_journal(store_.directory()));
    resuming_ = journal.has_value();
    path_ = command_.path.empty() ? "" : TRY(path_in_workspace(command_.path, meant_.jar.workspace));
    auto number = command_.to;
    if (resuming_ && number == 0) {
      keeper::tell(fmt::format("ending the undo to checkpoint {} that was interrupted", journal->target));
      number = journal->target;
      path_ = journal->path;
    }
    if (number == 0) number = TRY(default_target(store_));
    if (number == 0) return nothing_saved(meant_.jar.name);
    target_ = TRY(store_.find(number));
    return {};
  }

  /// What is there of a workspace that isn't: a directory that differs from any.
  static undo::State nothing() {
    undo::State state;
    state.entries.push_back({.mode = S_IFDIR, .child = 0});
    state.directories.push_back({.first = 1});
    return state;
  }

  [[nodiscard]] std::string meant() const { return path_.empty() ? meant_.jar.workspace : shown(path_); }

  Result<void> check_path(const undo::State& now, const undo::State& then) const {
    if (resuming_ || undo::find_path(now, path_) != undo::kNone ||
        undo::find_path(then, path_) != undo::kNone)
      return {};
    return Error(ErrorCode::not_found, fmt::format("{} is neither in {} nor in checkpoint {}", shown(path_),
                                                   meant_.jar.workspace, target_.number))
        .with_hint(fmt::format("belljar undo {} --list   (another checkpoint may have it)", meant_.jar.name));
  }

  undo::Saving saving(undo::Saving from) {
    from.workspace = meant_.jar.workspace;
    from.why = fmt::format("before an undo to {}", target_.number);
    from.bounds = meant_.bounds;
    return from;
  }

  Result<undo::Scan> look() {
    SavingProgress progress;
    return undo::look(store_, saving({.progress = std::ref(progress)}));
  }

  Result<undo::Scan> save() {
    SavingProgress progress;
    auto saved = TRY(undo::save(store_, saving({.progress = std::ref(progress)}))
                         .context("saving what is there now")
                         .hint(fmt::format("belljar undo {} --discard   (what is there now is lost then)",
                                           meant_.jar.name)));
    before_ = saved.number;
    tell_unsaved(saved.scan);
    return std::move(saved.scan);
  }

  void print_changes(const std::vector<undo::Change>& changes, const undo::State& now,
                     const undo::State& then) {
    if (missing_)
      fmt::print("{} isn't there: was it moved? It would be made again; what was moved stays where it is.\n",
                 meant_.jar.workspace);
    fmt::print("jar '{}': {} as it was {} (checkpoint {}, {}):\n", meant_.jar.name, meant(),
               date_of(target_.made), target_.number, target_.why);
    fmt::print("{}", show_changes(changes, now, then));
    if (std::fflush(stdout) != 0) return;
  }

  Result<void> check_unsaved(const undo::State& now, const undo::State& then) const {
    if (command_.discard) return {};
    auto destroyed = undo::find_destroyed(now, then, path_);
    if (!destroyed) return {};
    return Error(ErrorCode::already_exists,
                 shown(*destroyed) + " would be replaced, but what is there now can't be saved")
        .with_hint(fmt::format("move it away, or: belljar undo {} --discard", meant_.jar.name));
  }

  Result<bool> ask_restore() const {
    if (!can_ask())
      return Error(ErrorCode::invalid_argument, "nothing was changed: there is no terminal to ask on")
          .with_hint(fmt::format("belljar undo {} --to {} --yes", meant_.jar.name, target_.number));
    const auto* question = missing_           ? "Make it again? [y/N] "
                           : command_.discard ? "Do it? What is there now is NOT saved [y/N] "
                                              : "Do it? [y/N] ";
    return ask_yes(question);
  }

  Result<undo::Restored> restore(const undo::State& now, const undo::State& then) {
    return undo::restore(store_, now, then,
                         {.workspace = meant_.jar.workspace,
                          .target = target_.number,
                          .path = path_,
                          .discard = command_.discard})
        .hint(fmt::format("belljar undo {}   (again: it goes on where it stopped)", meant_.jar.name));
  }

  /// Looks once more: what is told is what is there.
  Result<int> finish(const undo::State& then, const undo::Restored& restored) {
    auto after = TRY(look());
    std::size_t differing = 0;
    for (const auto& change : undo::compare(after.state, then, path_))
      if (change.kind == undo::Change::Kind::brought_back || change.kind == undo::Change::Kind::removed ||
          change.kind == undo::Change::Kind::changed)
        differing += 1U + change.below;
    for (const auto& line : restored.complaints)
      keeper::tell("not as it was: " + line);
    if (restored.complaint_count > restored.complaints.size())
      keeper::tell_more(fmt::format("… and {} more", restored.complaint_count - restored.complaints.size()));
    if (differing != 0)
      return Error(
                 ErrorCode::cancelled,
                 fmt::format("{} entries are not as they were: something changed them meanwhile", differing))
          .with_hint("belljar undo " + meant_.jar.name);
    if (after.top == target_.top && store_.write_index(index_of(after))) (void)store_.settle({});
    fmt::print("done\n");
    if (before_ != 0) fmt::print("to take this back: belljar undo {} --to {}\n", meant_.jar.name, before_);
    return 0;
  }

  undo::Index index_of(undo::Scan& scan) const {
    return {.checkpoint = target_.number,
            .top = scan.top,
            .boot = undo::boot_identity(),
            .settled = false,
            .state = std::move(scan.state)};
  }

  const Undo& command_;
  Meant meant_;
  const keeper::Jars& jars_;
  undo::Store& store_;
  undo::Checkpoint target_;
  std::string path_;
  bool resuming_ = false;
  bool missing_ = false;      ///< the workspace isn't there
  std::uint64_t before_ = 0;  ///< the checkpoint of what was there
};

}  // namespace

Result<int> run_command(const Checkpoint& command, const keeper::Directories& directories) {
  auto meant = TRY(find_meant(directories, command.jar));
  auto store = TRY(undo::Store::open(meant.directory, tell_waiting));
  if (TRY(undo::read_journal(store.directory())))
    return Error(ErrorCode::already_exists, "an undo of this workspace was interrupted")
        .with_hint("belljar undo " + meant.jar.name);
  SavingProgress progress;
  auto saved = TRY(undo::save(store, {.workspace = meant.jar.workspace,
                                      .why = "asked for",
                                      .running = meant.jar.running,
                                      .bounds = meant.bounds,
                                      .progress = std::ref(progress)}));
  tell_unsaved(saved.scan);
  auto entries = saved.scan.state.entries.size() - 1;
  fmt::print("{} checkpoint {} of {} ({} entries)\n", saved.made ? "saved" : "nothing has changed since",
             saved.number, meant.jar.workspace, entries);
  return 0;
}

Result<int> run_command(const Undo& command, const keeper::Directories& directories) {
  auto meant = TRY(find_meant(directories, command.jar));
  if (command.list) {
    auto store = TRY(undo::Store::open_existing(meant.directory, tell_waiting));
    if (!store) return nothing_saved(meant.jar.name);
    auto checkpoints = TRY(store->list());
    return print_list(checkpoints, TRY(default_target(*store)), command.json);
  }
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  auto held = TRY(jars.hold(meant.jar.name));
  TRY(check_nobody_runs_there(jars, meant.jar));
  auto store = TRY(undo::Store::open_existing(meant.directory, tell_waiting));
  if (!store) return nothing_saved(meant.jar.name);
  return Undoing(command, std::move(meant), jars, *store).run();
}

}  // namespace belljar::cli
