#include "keeper/removal.h"

#include <cerrno>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "keeper/end_record.h"
#include "keeper/jars.h"
#include "keeper/remove_tree.h"
#include "os/fd.h"

namespace belljar::keeper {

namespace {

constexpr std::string_view kRemoved = ".removed-";

std::string mark_in(const std::string& jar_directory) { return jar_directory + "/removing"; }

/// Deletes what removals have moved aside, except where one is still at it.
Result<void> empty_removed(const std::string& jars) {
  std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(jars.c_str()), &::closedir);
  if (!directory) return Error::from_errno(errno, "list " + jars);
  while (const auto* entry = ::readdir(directory.get())) {
    if (!std::string_view(entry->d_name).starts_with(kRemoved)) continue;
    auto path = jars + "/" + entry->d_name;
    auto removed = os::open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (removed && ::flock(removed->get(), LOCK_EX | LOCK_NB) == 0) TRY(remove_tree(path));
  }
  return {};
}

/// Each start touches the lock file.
std::optional<timespec> when_taken(const std::string& jar_directory) {
  struct stat lock {};
  if (::lstat((jar_directory + "/lock").c_str(), &lock) < 0) return std::nullopt;
  return lock.st_mtim;
}

}  // namespace

bool is_half_removed(const std::string& jar_directory) {
  return ::access(mark_in(jar_directory).c_str(), F_OK) == 0;
}

Result<void> remove_jar(const std::string& jars_directory, const std::string& jar,
                        const std::function<Result<void>()>& before) {
  auto directory = jars_directory + "/" + jar;
  if (before) {
    TRY(os::write_file_atomically(mark_in(directory), ""));
    TRY(before());
  }
  // Out of the way as a whole: a start must not find half a jar, and an end in between leaves no name taken.
  auto aside = fmt::format("{}/{}{}-{}", jars_directory, kRemoved, jar, ::getpid());
  if (::rename(directory.c_str(), aside.c_str()) < 0) return Error::from_errno(errno, "rename " + directory);
  return empty_removed(jars_directory).context("removing jar '" + jar + "'");
}

void FirstStart::hand_over_lock() {
  if (!jar_.empty()) handed_over_ = when_taken(jars_directory_ + "/" + jar_).value_or(timespec{});
}

FirstStart::~FirstStart() {
  if (jar_.empty() || kept_) return;
  auto directory = jars_directory_ + "/" + jar_;
  std::optional<JarLock> again;
  if (handed_over_) {
    auto jars = Jars::open(jars_directory_);
    if (!jars) return;
    auto lock = jars->hold(jar_);
    if (!lock) return;
    again.emplace(std::move(*lock));
    auto taken = when_taken(directory);
    if (!taken || taken->tv_sec != handed_over_->tv_sec || taken->tv_nsec != handed_over_->tv_nsec) return;
  }
  if (read_end(directory)) return;
  if (auto removed = remove_jar(jars_directory_, jar_, {}); !removed)
    log::warning("{}", removed.error().to_string());
}

}  // namespace belljar::keeper
