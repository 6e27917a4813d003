#include "undo/git_directory.h"

#include <cerrno>
#include <limits>

#include <sys/stat.h>

#include "undo/journal.h"
#include "undo/sweep.h"

namespace belljar::undo {

std::string git_store_of(const std::string& jar_directory) { return jar_directory + "/git"; }

Saving saving_of_git(const Saving& saving) {
  auto own = saving;
  own.workspace = saving.git.path;
  own.git = {};
  // A jar could lay a .gitignore there: git itself never looks for one in a git directory.
  own.bounds.ignored = std::numeric_limits<std::uint64_t>::max();
  return own;
}

namespace {

Result<Saved> save_git(const std::string& jar_directory, const Saving& saving, When when) {
  auto place = git_store_of(jar_directory);
  if (::mkdir(place.c_str(), 0700) < 0 && errno != EEXIST) return Error::from_errno(errno, "mkdir " + place);
  auto store = TRY(Store::open(place));
  if (TRY(read_journal(store.directory())))
    return Error(ErrorCode::already_exists, "an undo of " + saving.git.path + " was interrupted")
        .with_hint("belljar undo");
  auto own = saving_of_git(saving);
  auto saved = TRY(save(store, own));
  if (when == When::start) {
    TRY(store.note_start(saved.number));
    if (TRY(is_sweep_due(store, own.bounds))) TRY(sweep_in_background(place, own.bounds));
  }
  return saved;
}

}  // namespace

Result<Saved> save_whole(Store& store, const std::string& jar_directory, const Saving& saving, When when) {
  if (saving.git.path.empty()) return save(store, saving);
  auto git =
      TRY(save_git(jar_directory, saving, when).context("saving the git directory " + saving.git.path));
  auto with_git = saving;
  with_git.git.number = git.number;
  auto saved = TRY(save(store, with_git));
  for (auto& one : git.scan.unsaved) {
    if (!one.path.empty()) one.path.insert(0, saving.git.path + "/");
    saved.scan.unsaved.push_back(std::move(one));
  }
  saved.scan.dropped += git.scan.dropped;
  return saved;
}

}  // namespace belljar::undo
