#include "cli/undo_tree.h"

#include <cerrno>
#include <limits>

#include <fcntl.h>
#include <fmt/core.h>
#include <limits.h>
#include <sys/stat.h>

#include "cli/saving.h"
#include "cli/undo_changes.h"
#include "undo/git_directory.h"
#include "undo/git_index.h"

namespace belljar::cli {

namespace {

constexpr std::size_t kMostIndex = 64U << 20;  // bytes; of git's

/// What is there of a directory that isn't: one that differs from any.
undo::State nothing() {
  undo::State state;
  state.entries.push_back({.mode = S_IFDIR, .child = 0});
  state.directories.push_back({.first = 1});
  return state;
}

bool is_of_content(undo::Change::Kind kind) {
  return kind == undo::Change::Kind::brought_back || kind == undo::Change::Kind::removed ||
         kind == undo::Change::Kind::changed;
}

}  // namespace

undo::Saving UndoTree::saving(undo::Saving from) const {
  from.workspace = what_.directory;
  from.why = what_.why;
  from.bounds = what_.bounds;
  if (!what_.all_of_git) return from;
  from.git.path = what_.directory;
  return undo::saving_of_git(from);
}

Result<void> UndoTree::aim(std::uint64_t checkpoint) {
  target_ = TRY(store_.find(checkpoint));
  then_ = TRY(store_.load(target_));
  return {};
}

Result<void> UndoTree::look_whether_there() {
  struct stat status {};
  missing_ = ::lstat(what_.directory.c_str(), &status) < 0;
  if (missing_ && errno != ENOENT) return Error::from_errno(errno, "look at " + what_.directory);
  return {};
}

Result<void> UndoTree::make_again() {
  if (::mkdir(what_.directory.c_str(), 0755) < 0 && errno != EEXIST)
    return Error::from_errno(errno, fmt::format("make {} again", what_.directory));
  missing_ = false;
  return {};
}

void UndoTree::compare() { changes_ = undo::compare(now_, then_, what_.path); }

Result<void> UndoTree::look() {
  SavingProgress progress;
  now_ = missing_ ? nothing()
                  : std::move(TRY(undo::look(store_, saving({.progress = std::ref(progress)}))).state);
  compare();
  return {};
}

Result<std::uint64_t> UndoTree::save(const undo::GitDirectory& git) {
  SavingProgress progress;
  auto saved = TRY(undo::save(store_, saving({.git = git, .progress = std::ref(progress)}))
                       .context("saving what is there now")
                       .hint(what_.retry + " --discard   (what is there now is lost then)"));
  tell_unsaved(saved.scan);
  now_ = std::move(saved.scan.state);
  compare();
  return saved.number;
}

/// The index as it is, beside the one that was saved.
bool UndoTree::is_index_alike(const undo::Change& change) const {
  const auto& was = then_.entries[change.entry];
  auto path = then_.path_within(change.place, was, PATH_MAX - 1);
  auto directory = undo::open_workspace(what_.directory);
  if (!path || !directory) return false;
  auto file = os::open_beneath(directory->get(), *path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  struct stat status {};
  if (!file || ::fstat(file->get(), &status) < 0 || !S_ISREG(status.st_mode) || status.st_mode != was.mode ||
      status.st_uid != was.user || status.st_gid != was.group)
    return false;
  auto is = os::read_all(file->get(), kMostIndex);
  auto saved = store_.read(was.content, undo::ObjectType::blob);
  return is && saved && undo::say_the_same(as_bytes(*is), saved->content);
}

bool UndoTree::is_idle() const {
  for (const auto& change : changes_) {
    if (undo::is_idle_time(change, what_.all_of_git)) continue;
    if (!undo::is_changed_index(change, then_, what_.all_of_git) || !is_index_alike(change)) return false;
  }
  return true;
}

Result<void> UndoTree::check_unsaved() const {
  if (what_.discard) return {};
  auto destroyed = undo::find_destroyed(now_, then_, what_.path);
  if (!destroyed) return {};
  return Error(ErrorCode::already_exists,
               shown(*destroyed) + " would be replaced, but what is there now can't be saved")
      .with_hint(fmt::format("move it away, or: {} --discard", what_.retry));
}

Result<void> UndoTree::check_path(const std::string& hint) const {
  if (undo::find_path(now_, what_.path) != undo::kNone || undo::find_path(then_, what_.path) != undo::kNone)
    return {};
  return Error(ErrorCode::not_found, fmt::format("{} is neither in {} nor in checkpoint {}",
                                                 shown(what_.path), what_.directory, target_.number))
      .with_hint(hint);
}

Result<undo::Restored> UndoTree::restore() {
  return undo::restore(store_, now_, then_,
                       {.workspace = what_.directory,
                        .target = target_.number,
                        .path = what_.path,
                        .discard = what_.discard})
      .hint(what_.retry + "   (again: it goes on where it stopped)");
}

Result<void> UndoTree::check_done() {
  SavingProgress progress;
  auto after = TRY(undo::look(store_, saving({.progress = std::ref(progress)})));
  std::size_t differing = 0;
  for (const auto& change : undo::compare(after.state, then_, what_.path))
    if (is_of_content(change.kind)) differing += 1U + change.below;
  if (differing != 0)
    return Error(ErrorCode::cancelled,
                 fmt::format("{} entries of {} are not as they were: something changed them meanwhile",
                             differing, what_.directory))
        .with_hint(what_.retry);
  if (after.top != target_.top) return {};
  undo::Index index{.checkpoint = target_.number,
                    .top = after.top,
                    .boot = undo::boot_identity(),
                    .settled = false,
                    .state = std::move(after.state)};
  if (store_.write_index(index)) (void)store_.settle({});
  return {};
}

}  // namespace belljar::cli
