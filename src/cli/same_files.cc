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

std::string note_path(const std::string& jar_directory) { return jar_directory + "/git-directory"; }

/// All that a jar can write, as of its last start and as its workspace says now.
std::vector<std::string> places_of(const keeper::Directories& directories, const keeper::JarRecord& jar) {
  auto noted = os::read_file(note_path(directories.jars() + "/" + jar.name), kMaxPlaces).value_or("");
  return {jar.workspace, noted, git_directory_of(directories, jar.workspace)};
}

std::string claims_of(const keeper::Directories& directories) { return directories.state + "/undos"; }

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

/// Whether an undo is at work on this jar, or was interrupted.
Result<bool> is_being_undone(const keeper::Directories& directories, const std::string& jar,
                             bool& interrupted) {
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  auto record = jars.find(jar);
  if (!record) return false;  // it was removed
  interrupted = TRY(undo::read_journal(directories.jars() + "/" + jar + "/undo")).has_value();
  return interrupted || record->running;
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
  auto path = note_path(jar_directory);
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

Result<UndoClaim> UndoClaim::make(const keeper::Directories& directories, const std::string& jar,
                                  const std::vector<std::string>& places) {
  TRY(os::create_directories(claims_of(directories)));
  std::string text;
  for (const auto& place : places)
    if (!place.empty()) text += place + '\0';
  auto path = claims_of(directories) + "/" + jar;
  TRY(os::replace_file(path, text).context("noting that an undo is at work"));
  return UndoClaim(path, directories.jars() + "/" + jar + "/undo");
}

UndoClaim::~UndoClaim() {
  if (path_.empty()) return;
  auto journal = undo::read_journal(store_);
  if (journal && !*journal) ::unlink(path_.c_str());
}

Result<void> check_no_undo_there(const keeper::Directories& directories, const keeper::JarRecord& jar,
                                 const std::string& git_directory) {
  std::unique_ptr<DIR, int (*)(DIR*)> claims(::opendir(claims_of(directories).c_str()), &::closedir);
  if (!claims && errno == ENOENT) return {};
  if (!claims) return Error::from_errno(errno, "look for undos that go on in " + claims_of(directories));
  while (const auto* entry = ::readdir(claims.get())) {
    std::string other = entry->d_name;
    if (!keeper::Jars::is_valid_name(other)) continue;
    auto path = claims_of(directories) + "/" + other;
    if (other == jar.name) {  // it was killed; an interrupted undo would have left its journal
      ::unlink(path.c_str());
      continue;
    }
    auto text = os::read_file(path, kMaxPlaces);
    if (!text && text.error().code() == ErrorCode::not_found) continue;  // it has ended meanwhile
    if (!text) return std::move(text).error().context("looking for undos that go on");
    if (find_meeting({jar.workspace, git_directory}, split_places(*text)).empty()) continue;
    bool interrupted = false;
    if (!TRY(is_being_undone(directories, other, interrupted))) continue;
    return Error(ErrorCode::already_exists,
                 fmt::format("an undo of jar '{}' {}, in the same files", other,
                             interrupted ? "has begun and is not at its end" : "is at work"))
        .with_hint(fmt::format("belljar undo {}   (ends what was begun)", other));
  }
  return {};
}

}  // namespace belljar::cli
