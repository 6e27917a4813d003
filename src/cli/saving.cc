#include "cli/saving.h"

#include <algorithm>
#include <ctime>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/question.h"
#include "cli/same_files.h"
#include "keeper/tell.h"
#include "os/fd.h"
#include "undo/journal.h"

namespace belljar::cli {

namespace {

constexpr std::size_t kShown = 3;
constexpr std::int64_t kPatience = 1000;  // milliseconds
constexpr std::int64_t kPace = 200;

std::int64_t milliseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

void write_plain(const std::string& text) { (void)os::write_all(STDERR_FILENO, as_bytes(text)); }

}  // namespace

undo::Bounds bounds_of(const config::UndoBounds& wanted) {
  undo::Bounds bounds;
  if (wanted.keep) bounds.keep = *wanted.keep;
  if (wanted.size) bounds.size = *wanted.size;
  if (wanted.ignored) bounds.ignored = *wanted.ignored;
  return bounds;
}

SavingProgress::SavingProgress()
    : next_(milliseconds() + kPatience), on_terminal_(::isatty(STDERR_FILENO) == 1) {}

SavingProgress::~SavingProgress() {
  if (told_ && on_terminal_) write_plain("\r\033[K");
}

void SavingProgress::operator()(const undo::Progress& progress) {
  auto now = milliseconds();
  if (now < next_) return;
  next_ = now + kPace;
  if (on_terminal_)
    write_plain(fmt::format("\r\033[Kbelljar: saving the workspace … {} entries, {} read", progress.entries,
                            show_bytes(progress.bytes)));
  else if (!told_)
    keeper::tell("saving the workspace …");
  told_ = true;
}

std::string show_bytes(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit)
    value /= 1024;
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

void tell_unsaved(const undo::Scan& scan) {
  if (scan.dropped != 0)
    keeper::tell(fmt::format(
        "the extended attributes of {} of the workspace's entries were not saved: too many", scan.dropped));
  std::vector<const undo::Unsaved*> told;
  for (const auto& one : scan.unsaved)
    if (one.reason != undo::Reason::ignored) told.push_back(&one);
  if (told.empty()) return;
  keeper::tell(fmt::format(
      "{} of the workspace's entries could not be saved, belljar undo won't bring them back:", told.size()));
  for (std::size_t n = 0; n < told.size() && n < kShown; ++n)
    keeper::tell_more(fmt::format("{}: {}", told[n]->path, undo::describe(told[n]->reason)));
  if (told.size() > kShown) keeper::tell_more(fmt::format("… and {} more", told.size() - kShown));
}

Result<void> save_before_start(const keeper::Directories& directories, keeper::TakenJar& taken,
                               const config::UndoBounds& bounds) {
  const auto& jar = taken.record;
  if (jar.workspace.empty()) return {};
  const auto& jar_directory = taken.directory;
  auto journal = TRY(undo::read_journal(jar_directory + "/undo"));
  if (journal)
    return Error(ErrorCode::already_exists,
                 fmt::format("an undo of the workspace of jar '{}' was interrupted", jar.name))
        .with_hint(fmt::format("belljar undo {}   (ends what was begun)", jar.name));
  auto git = git_directory_of(directories, jar.workspace);
  TRY(note_git_directory(jar_directory, git));
  TRY(check_no_undo_there(directories, jar, git));
  SavingProgress progress;
  auto saved = undo::save_before_start(jar_directory, {.workspace = jar.workspace,
                                                       .why = "before a start",
                                                       .bounds = bounds_of(bounds),
                                                       .git = {.path = git},
                                                       .progress = std::ref(progress),
                                                       .along = {taken.record_file(), taken.directory}});
  if (saved) {
    taken.settled = taken.settled || saved->made;
    tell_unsaved(saved->scan);
    return {};
  }
  auto what = "the workspace could not be saved, so belljar undo can't bring back what it is now: " +
              saved.error().to_string();
  if (!saved.error().hint().empty()) what += " (try: " + saved.error().hint() + ")";
  keeper::tell(what);
  // What ran before may have seen to it that nothing can be saved: where somebody is there, they decide.
  if (!can_ask() || ask_yes("Start all the same? [y/N] ")) return {};
  return Error(ErrorCode::cancelled, "nothing was started");
}

}  // namespace belljar::cli
