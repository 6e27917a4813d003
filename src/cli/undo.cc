// `belljar undo` and `belljar checkpoint`.
#include <ctime>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/decision.h"
#include "cli/effective.h"
#include "cli/json.h"
#include "cli/question.h"
#include "cli/same_files.h"
#include "cli/saving.h"
#include "cli/table.h"
#include "cli/undo_changes.h"
#include "cli/undo_target.h"
#include "cli/undo_tree.h"
#include "keeper/jars.h"
#include "keeper/tell.h"
#include "undo/git_directory.h"

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
                 fmt::format("jar '{}' has no workspace that could be saved", meant.jar.name))
        .with_hint("belljar ls   (the last column is what belljar undo brings back)");
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
    auto list = nlohmann::ordered_json::array();
    for (const auto& one : checkpoints)
      list.push_back({{"number", one.number},
                      {"made", one.made},
                      {"stood", one.stood},
                      {"why", one.why},
                      {"entries", one.entries},
                      {"unsaved", one.unsaved},
                      {"git_directory", one.git.path},
                      {"default", one.number == target},
                      {"damage", one.damage}});
    print_json(list);
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

constexpr const char* kNoStaging = ".belljar-undo-0000000000000000";

/// Not worth an undo's end: what it is about may be a full disk.
bool record(const keeper::Directories& directories, const std::string& jar, ledger::Kind kind,
            const std::string& what, bool told) {
  auto done = record_event({.kind = kind, .reason = what}, jar, directories);
  if (!done && told) keeper::tell("not in the ledger: " + done.error().to_string());
  return done.ok();
}

/// The whole of one undo.
class Undoing {
 public:
  Undoing(const Undo& command, Meant meant, const keeper::Directories& directories, undo::Store& store)
      : command_(command), meant_(std::move(meant)), directories_(directories), store_(store) {}

  Result<int> run() {
    TRY(choose());
    TRY(open_git());
    auto places = std::vector<std::string>{meant_.jar.workspace, git_ ? git_->directory() : ""};
    std::optional<UndoClaim> claim;  // what is only shown or asked about keeps nobody from starting
    if (command_.yes) claim.emplace(TRY(UndoClaim::make(meant_.directory, places)));
    TRY(check_nobody_runs_there(directories_, meant_.jar.name, places));
    for (auto* tree : all())
      TRY(tree->look_whether_there());
    bool saved = command_.yes && !command_.discard && !is_missing();
    TRY(saved ? save() : look());
    if (!resuming_)
      TRY(tree_->check_path(
          fmt::format("belljar undo {} --list   (another checkpoint may have it)", meant_.jar.name)));
    if (!resuming_ && !is_missing() && has_nothing_to_do()) return tell_nothing();
    if (!command_.json) print_changes();
    for (auto* tree : aimed())
      TRY(tree->check_unsaved());
    if (command_.json && !command_.yes) return print_result(false);
    if (!command_.yes && !TRY(ask_restore())) {
      fmt::print("nothing was changed\n");
      return 1;
    }
    if (!claim) claim.emplace(TRY(UndoClaim::make(meant_.directory, places)));
    TRY(check_nobody_runs_there(directories_, meant_.jar.name,
                                places));  // the answer may have taken its time
    if (is_missing())
      TRY(save_and_make_again());
    else if (!saved)
      TRY(command_.discard ? look() : save());
    return carry_out();
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
    tree_.emplace(store_, what(meant_.jar.workspace, number));
    return tree_->aim(number);
  }

  [[nodiscard]] UndoTree::What what(std::string directory, std::uint64_t number) const {
    return {.directory = std::move(directory),
            .path = path_,
            .why = fmt::format("before an undo to {}", number),
            .retry = "belljar undo " + meant_.jar.name,
            .discard = command_.discard,
            .bounds = meant_.bounds};
  }

  /// The git directory that the workspace belongs to: it comes back with the whole workspace, and is saved in
  /// any case.
  Result<void> open_git() {
    auto target = tree_->target().git;
    auto path = target.path.empty() ? git_directory_of(directories_, meant_.jar.workspace) : target.path;
    if (path.empty()) return {};
    auto store = TRY(undo::Store::open_existing(undo::git_store_of(meant_.directory), tell_waiting));
    if (!store) return {};
    git_store_.emplace(std::move(*store));
    auto wanted = what(path, tree_->target().number);
    wanted.all_of_git = true;
    wanted.path.clear();
    git_.emplace(*git_store_, std::move(wanted));
    if (target.number == 0 || !path_.empty() || command_.workspace_only) return {};
    auto aimed = git_->aim(target.number);
    git_aimed_ = aimed.ok();
    if (!git_aimed_) keeper::tell(fmt::format("{} stays as it is: {}", path, aimed.error().to_string()));
    return {};
  }

  /// The git directory first: the workspace's journal, which stands until both are done, is begun before it.
  std::vector<UndoTree*> all() {
    std::vector<UndoTree*> trees;
    if (git_) trees.push_back(&*git_);
    trees.push_back(&*tree_);
    return trees;
  }
  std::vector<UndoTree*> aimed() {
    auto trees = all();
    if (git_ && !git_aimed_) trees.erase(trees.begin());
    return trees;
  }
  [[nodiscard]] bool is_missing() {
    auto trees = aimed();
    return std::any_of(trees.begin(), trees.end(), [](auto* tree) { return tree->is_missing(); });
  }

  Result<void> look() {
    for (auto* tree : aimed())
      TRY(tree->look());
    return {};
  }

  Result<void> save() {
    undo::GitDirectory git;
    if (git_ && !git_->is_missing()) git = {.path = git_->directory(), .number = TRY(git_->save())};
    before_ = TRY(tree_->save(git));
    return {};
  }

  /// Where the git directory alone is missing, the workspace is saved without it: what stands there comes
  /// back by another undo.
  Result<void> save_and_make_again() {
    if (!command_.discard && !tree_->is_missing()) TRY(save());
    for (auto* tree : aimed()) {
      if (tree->is_missing()) TRY(tree->make_again());
      TRY(tree->look());
    }
    return {};
  }

  bool has_nothing_to_do() {
    auto trees = aimed();
    return std::all_of(trees.begin(), trees.end(), [](auto* tree) { return tree->is_idle(); });
  }

  [[nodiscard]] std::string meant() const { return path_.empty() ? meant_.jar.workspace : shown(path_); }

  Result<int> tell_nothing() {
    if (command_.json) return print_result(false);
    fmt::print("jar '{}': {} is as it was in checkpoint {}\n", meant_.jar.name, meant(),
               tree_->target().number);
    return 0;
  }

  void print_changes() {
    const auto& target = tree_->target();
    for (auto* tree : aimed())
      if (tree->is_missing())
        fmt::print(
            "{} isn't there: was it moved? It would be made again; what was moved stays where it is.\n",
            tree->directory());
    fmt::print("jar '{}': {} as it was {} (checkpoint {}, {}):\n", meant_.jar.name, meant(),
               date_of(target.made), target.number, target.why);
    fmt::print("{}", show_changes(tree_->changes(), tree_->now(), tree_->then()));
    if (git_aimed_ && !git_->is_idle())
      fmt::print(
          "and {}, the repository's own, with what others did there since (--workspace-only leaves it):\n{}",
          git_->directory(), show_changes(git_->changes(), git_->now(), git_->then()));
    if (std::fflush(stdout) != 0) return;
  }

  Result<bool> ask_restore() {
    if (!can_ask())
      return Error(ErrorCode::invalid_argument, "nothing was changed: there is no terminal to ask on")
          .with_hint(fmt::format("belljar undo {} --to {} --yes", meant_.jar.name, tree_->target().number));
    const auto* question = is_missing()       ? "Make it again? [y/N] "
                           : command_.discard ? "Do it? What is there now is NOT saved [y/N] "
                                              : "Do it? [y/N] ";
    return ask_yes(question);
  }

  Result<int> carry_out() {
    auto event = fmt::format("to checkpoint {}: {}{}", tree_->target().number, meant(),
                             before_ == 0 ? std::string() : fmt::format("; before it: {}", before_));
    bool recorded = record(directories_, meant_.jar.name, ledger::Kind::undo, event, false);
    if (git_aimed_) TRY(restore_git());
    restored_ = TRY(tree_->restore());
    for (const auto& line : restored_.complaints)
      keeper::tell("not as it was: " + line);
    if (restored_.complaint_count > restored_.complaints.size())
      keeper::tell_more(
          fmt::format("… and {} more", restored_.complaint_count - restored_.complaints.size()));
    if (!recorded) record(directories_, meant_.jar.name, ledger::Kind::undo, event, true);
    for (auto* tree : aimed())
      TRY(tree->check_done());
    if (command_.json) return print_result(true);
    fmt::print("done\n");
    if (before_ != 0) fmt::print("to take this back: belljar undo {} --to {}\n", meant_.jar.name, before_);
    return 0;
  }

  /// Under the workspace's journal: whatever stops it, the next undo ends both.
  Result<void> restore_git() {
    auto earlier = TRY(undo::read_journal(store_.directory()));
    undo::Journal journal{
        .target = tree_->target().number, .path = "", .staging = earlier ? earlier->staging : kNoStaging};
    TRY(undo::write_journal(store_.directory(), journal));
    auto done = git_->restore();
    if (done) {
      for (const auto& line : done->complaints)
        keeper::tell(fmt::format("not as it was in {}: {}", git_->directory(), line));
      return {};
    }
    auto touched = undo::read_journal(git_store_->directory());
    if (!resuming_ && touched && !*touched) (void)undo::remove_journal(store_.directory());
    return std::move(done).error();
  }

  Result<int> print_result(bool done) {
    nlohmann::ordered_json value = {{"jar", meant_.jar.name},
                                    {"workspace", meant_.jar.workspace},
                                    {"path", path_},
                                    {"checkpoint", tree_->target().number},
                                    {"done", done},
                                    {"before", before_},
                                    {"changes", count_changes(tree_->changes())},
                                    {"not_as_it_was", restored_.complaint_count}};
    if (git_aimed_)
      value["git_directory"] = {{"path", git_->directory()}, {"changes", count_changes(git_->changes())}};
    print_json(value);
    return 0;
  }

  const Undo& command_;
  Meant meant_;
  const keeper::Directories& directories_;
  undo::Store& store_;
  std::optional<undo::Store> git_store_;
  std::optional<UndoTree> tree_;
  std::optional<UndoTree> git_;
  bool git_aimed_ = false;  ///< it is undone, too
  std::string path_;
  bool resuming_ = false;
  std::uint64_t before_ = 0;  ///< the checkpoint of what was there
  undo::Restored restored_;
};

}  // namespace

Result<int> run_command(const Checkpoint& command, const keeper::Directories& directories) {
  auto meant = TRY(find_meant(directories, command.jar));
  auto store = TRY(undo::Store::open(meant.directory, tell_waiting));
  if (TRY(undo::read_journal(store.directory())))
    return Error(ErrorCode::already_exists, "an undo of this workspace was interrupted")
        .with_hint("belljar undo " + meant.jar.name);
  SavingProgress progress;
  auto git = git_directory_of(directories, meant.jar.workspace);
  auto saved = TRY(undo::save_whole(store, meant.directory,
                                    {.workspace = meant.jar.workspace,
                                     .why = "asked for",
                                     .running = meant.jar.running,
                                     .bounds = meant.bounds,
                                     .git = {.path = git},
                                     .progress = std::ref(progress)},
                                    undo::When::any));
  tell_unsaved(saved.scan);
  auto entries = saved.scan.state.entries.size() - 1;
  if (saved.made)
    record(directories, meant.jar.name, ledger::Kind::checkpoint,
           fmt::format("{} of {}, asked for", saved.number, meant.jar.workspace), true);
  if (command.json) {
    print_json({{"jar", meant.jar.name},
                {"workspace", meant.jar.workspace},
                {"git_directory", git},
                {"checkpoint", saved.number},
                {"made", saved.made},
                {"entries", entries},
                {"unsaved", saved.scan.unsaved.size()}});
    return 0;
  }
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
  auto store = TRY(undo::Store::open_existing(meant.directory, tell_waiting));
  if (!store) return nothing_saved(meant.jar.name);
  return Undoing(command, std::move(meant), directories, *store).run();
}

}  // namespace belljar::cli
