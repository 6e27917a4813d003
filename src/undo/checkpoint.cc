#include "undo/checkpoint.h"

#include <algorithm>

#include <fcntl.h>
#include <sys/statvfs.h>

#include "undo/difference.h"
#include "undo/git_directory.h"
#include "undo/journal.h"
#include "undo/sweep.h"

namespace belljar::undo {

namespace {

/// With so many entries that were read in vain a new index is worth its writing.
constexpr std::size_t kManyRacy = 16;
constexpr std::int64_t kGrain = 2;       // seconds
constexpr std::int64_t kWriteback = 60;  // seconds; the kernel's is 30

/// The store's bound, and what the disk has, less a tenth: to fill it up would harm more than an undo helps.
Result<std::uint64_t> room_of(const Store& store, const Bounds& bounds) {
  auto taken = TRY(store.size());
  auto room = std::max(bounds.size / 2, bounds.size > taken ? bounds.size - taken : 0);
  struct statvfs disk {};
  if (::statvfs(store.directory().c_str(), &disk) < 0) return room;
  auto free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  return std::min(room, free - free / 10);
}

Result<ScanRules> rules_for(const Store& store, const Saving& saving) {
  ScanRules rules{.ignored = saving.bounds.ignored,
                  .room = TRY(room_of(store, saving.bounds)),
                  .largest = saving.bounds.size,
                  .racy_seconds = saving.running ? kWriteback : kGrain,
                  .progress = saving.progress};
  auto journal = TRY(read_journal(store.directory()));
  if (journal) rules.passed_over = journal->staging;
  return rules;
}

/// Without an index the workspace may still be as it was saved last.
std::uint64_t find_newest_like(Store& store, const ObjectId& top, const GitDirectory& git) {
  auto numbers = store.numbers();
  if (!numbers || numbers->empty()) return 0;
  auto newest = store.find(numbers->back());
  return newest && newest->top == top && (git.path.empty() || newest->git == git) ? newest->number : 0;
}

/// Whether a checkpoint has the git directory that the workspace belongs to now. One that has another than
/// none is not made anew for that: what it has can be wanted back.
bool has_git(Store& store, std::uint64_t number, const GitDirectory& git) {
  if (git.path.empty()) return true;
  auto checkpoint = store.find(number);
  return checkpoint && checkpoint->git == git;
}

}  // namespace

Result<os::Fd> open_workspace(const std::string& workspace) {
  auto root = TRY(os::open_file("/", O_PATH | O_DIRECTORY));
  return os::open_beneath(root.get(), workspace.substr(1), O_PATH | O_DIRECTORY)
      .context("opening the workspace " + workspace);
}

Result<Saved> save(Store& store, const Saving& saving) {
  auto index = store.read_index();
  auto rules = TRY(rules_for(store, saving));
  auto pack = TRY(store.new_pack('c'));
  static const State kNothing;
  auto workspace = TRY(open_workspace(saving.workspace));
  bool same_git = index && has_git(store, index->checkpoint, saving.git);
  auto scanned = TRY(scan(std::move(workspace), index ? index->state : kNothing,
                          same_git ? index->top : ObjectId{}, store, pack, rules));
  Index next{.top = scanned.top, .boot = boot_identity()};
  bool as_before = same_git && index->top == scanned.top;
  // The index stays: what the new listings are called is not in the store.
  if (same_git && !as_before && differ_in_directory_times_only(scanned.state, index->state)) {
    TRY(store.confirm(index->checkpoint));
    return Saved{.number = index->checkpoint, .scan = std::move(scanned)};
  }
  auto number = as_before ? index->checkpoint : find_newest_like(store, scanned.top, saving.git);
  if (number != 0) {
    TRY(store.confirm(number));
    next.checkpoint = number;
    next.settled = index && index->settled;
    next.state = scanned.state;
    if ((!as_before || scanned.settled >= kManyRacy) && store.write_index(next) && !next.settled)
      TRY(store.settle({}));
    return Saved{.number = number, .scan = std::move(scanned)};
  }
  Checkpoint wanted{.why = saving.why,
                    .entries = scanned.state.entries.size() - 1,
                    .unsaved = scanned.unsaved.size(),
                    .top = scanned.top,
                    .git = saving.git};
  auto checkpoint = TRY(store.add(wanted, scanned.top_tree, pack));
  next.checkpoint = checkpoint.number;
  next.state = scanned.state;
  (void)store.write_index(next);  // without it the next scan reads more, and that is all
  auto files = scanned.large;
  files.insert(files.end(), saving.along.begin(), saving.along.end());
  TRY(store.settle(files));
  return Saved{.number = checkpoint.number, .made = true, .scan = std::move(scanned)};
}

Result<Scan> look(Store& store, const Saving& saving) {
  auto index = store.read_index();
  auto rules = TRY(rules_for(store, saving));
  rules.look_only = true;
  auto pack = TRY(store.new_pack('c'));
  static const State kNothing;
  auto workspace = TRY(open_workspace(saving.workspace));
  return scan(std::move(workspace), index ? index->state : kNothing, index ? index->top : ObjectId{}, store,
              pack, rules);
}

Result<Saved> save_before_start(const std::string& jar_directory, const Saving& saving) {
  auto store = TRY(Store::open(jar_directory));
  if (TRY(read_journal(store.directory())))
    return Error(ErrorCode::already_exists, "an undo of its workspace was interrupted")
        .with_hint("belljar undo");
  auto saved = TRY(save_whole(store, jar_directory, saving, When::start));
  TRY(store.note_start(saved.number));
  if (TRY(is_sweep_due(store, saving.bounds))) TRY(sweep_in_background(jar_directory, saving.bounds));
  return saved;
}

}  // namespace belljar::undo
