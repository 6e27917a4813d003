#include "cli/same_files.h"

#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fmt/core.h>
#include <unistd.h>

#include "jar/workspace/linked.h"
#include "jar/workspace/refusal.h"
#include "keeper/worker.h"
#include "os/fd.h"
#include "os/path.h"
#include "undo/journal.h"

namespace belljar::cli {

namespace {

constexpr std::size_t kMaxPlaces = 64U << 10;  // bytes of a claim

bool meet(const std::string& one, const std::string& other) {
  return os::is_within(other, one) || os::is_within(one, other);
}

/// The first of `others` that meets one of `places`; empty: none.
std::string find_meeting(const std::vector<std::string>& places, const std::vector<std::string>& others) {
  for (const auto& place : places)
    for (const auto& other : others)
      if (!place.empty() && !other.empty() && meet(place, other)) return other;
  return "";
}

/// All that a jar can write, as of its last start and as its workspace says now.
std::vector<std::string> places_of(const keeper::Directories& directories, const keeper::JarRecord& jar) {
  auto noted =
      os::read_file(keeper::git_directory_note(directories.jars() + "/" + jar.name), kMaxPlaces).value_or("");
  return {jar.workspace, noted, git_directory_of(directories, jar.workspace)};
}

/// In the jar's directory: whatever the jar is called by then, its claim is its own.
std::string claim_in(const std::string& jar_directory) { return jar_directory + "/undo-claim"; }

/// Paths with a zero byte behind each: a path can have any other.
std::vector<std::string> split_places(const std::string& text) {
  std::vector<std::string> places;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\0', at), text.size());
    places.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return places;
}

}  // namespace

Result<std::vector<std::string>> own_places(const keeper::Directories& directories) {
  auto places = directories.own();
  places.push_back(TRY(keeper::find_libexec_directory()) + "/belljar-init");
  places.push_back(TRY(keeper::own_program()));
  return places;
}

std::string git_directory_of(const keeper::Directories& directories, const std::string& workspace) {
  auto hidden = own_places(directories);
  if (workspace.empty() || !hidden) return "";
  std::string why;  // told by the start
  return jar::find_git_directory(workspace, jar::homes_of_user(directories.user_home), *hidden, why);
}

Result<void> note_git_directory(const std::string& jar_directory, const std::string& git_directory) {
  auto path = keeper::git_directory_note(jar_directory);
  if (git_directory.empty()) {
    if (::unlink(path.c_str()) < 0 && errno != ENOENT) return Error::from_errno(errno, "delete " + path);
    return {};
  }
  if (auto noted = os::read_file(path, kMaxPlaces); noted && *noted == git_directory) return {};
  return os::replace_file(path, git_directory);
}

Result<void> check_nobody_runs_there(const keeper::Directories& directories, const std::string& name,
                                     const std::vector<std::string>& places) {
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  for (const auto& other : TRY(jars.list())) {
    if (!other.running || other.name == name) continue;
    if (other.damaged)
      return Error(ErrorCode::already_exists,
                   fmt::format("jar '{}' is running, and its record is damaged: it may be in the same files",
                               other.name))
          .with_hint("belljar stop " + other.name);
    auto where = find_meeting(places, places_of(directories, other));
    if (where.empty()) continue;
    if (where != other.workspace)
      return Error(ErrorCode::already_exists,
                   fmt::format("jar '{}' is running on {}, which belongs to the same repository: {}",
                               other.name, other.workspace, where))
          .with_hint("belljar stop " + other.name);
    return Error(ErrorCode::already_exists,
                 fmt::format("jar '{}' is running on {}, in the same files", other.name, other.workspace))
        .with_hint("belljar stop " + other.name);
  }
  return {};
}

Result<UndoClaim> UndoClaim::make(const std::string& jar_directory, const std::vector<std::string>& places) {
  std::string text;
  for (const auto& place : places)
    if (!place.empty()) text += place + '\0';
  auto path = claim_in(jar_directory);
  // On the disk before the journal is: after a power cut there must be no journal without it.
  TRY(os::write_file_atomically(path, text).context("noting that an undo is at work"));
  return UndoClaim(path, jar_directory + "/undo");
}

UndoClaim::~UndoClaim() {
  if (path_.empty()) return;
  auto journal = undo::read_journal(store_);
  if (journal && !*journal) ::unlink(path_.c_str());
}

namespace {

/// Whether an undo of this jar is at work or was interrupted, in the files of one of `places`.
Result<void> check_undo_of(const keeper::JarRecord& jar, const std::string& directory,
                           const std::vector<std::string>& places) {
  auto text = os::read_file(claim_in(directory), kMaxPlaces);
  if (!text && text.error().code() == ErrorCode::not_found) return {};
  if (!text) return std::move(text).error().context("looking for undos that go on");
  if (find_meeting(places, split_places(*text)).empty()) return {};
  bool interrupted = TRY(undo::read_journal(directory + "/undo")).has_value();
  if (!interrupted && !jar.running) return {};  // it was killed before it had begun
  return Error(ErrorCode::already_exists,
               fmt::format("an undo of jar '{}' {}, in the same files", jar.name,
                           interrupted ? "has begun and is not at its end" : "is at work"))
      .with_hint(fmt::format("belljar undo {}   (ends what was begun)", jar.name));
}

}  // namespace

Result<void> check_no_undo_there(const keeper::Directories& directories, const keeper::JarRecord& jar,
                                 const std::string& git_directory) {
  // It was killed; an interrupted undo would have left its journal.
  ::unlink(claim_in(directories.jars() + "/" + jar.name).c_str());
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(directories.jars().c_str()), &::closedir);
  if (!directory) return Error::from_errno(errno, "look for undos that go on");
  while (const auto* entry = ::readdir(directory.get())) {
    std::string other = entry->d_name;
    if (other == jar.name || !keeper::Jars::is_valid_name(other)) continue;
    auto place = directories.jars() + "/" + other;
    // One that has a claim only now looks for this jar next, and finds it running.
    if (::access(claim_in(place).c_str(), F_OK) < 0 && errno == ENOENT) continue;
    auto record = jars.find(other);
    if (record) TRY(check_undo_of(*record, place, {jar.workspace, git_directory}));
  }
  return {};
}

}  // namespace belljar::cli
