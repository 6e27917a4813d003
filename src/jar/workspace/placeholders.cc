#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/workspace/guard.h"
#include "jar/workspace/walk.h"
#include "os/path.h"

namespace belljar::jar {

namespace {

constexpr std::size_t kMaxRecord = 4U << 20;

/// The directory that holds, or is to hold, this path of the workspace.
Result<os::Fd> open_parent(int workspace, const std::string& path) {
  auto parent = os::parent_of(path);
  return os::open_beneath(workspace, parent.empty() ? "." : parent, O_RDONLY | O_DIRECTORY);
}
std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Removes it when it is still as it was made.
void remove_one(int workspace, const Placeholders::Wanted& made) {
  auto parent = open_parent(workspace, made.path);
  if (!parent) return;
  auto name = name_of(made.path);
  if (made.directory) {
    ::unlinkat(parent->get(), name.c_str(), AT_REMOVEDIR);  // only when empty
    return;
  }
  auto file = os::open_beneath(parent->get(), name, O_RDONLY | O_NONBLOCK);
  if (!file) return;
  auto content = os::read_all(file->get(), 64);
  if (content && content.value() == made.content) ::unlinkat(parent->get(), name.c_str(), 0);
}

Result<void> make_one(int workspace, const Placeholders::Wanted& wanted) {
  auto parent = TRY(open_parent(workspace, wanted.path));
  auto name = name_of(wanted.path);
  struct stat owner {};
  if (::fstat(parent.get(), &owner) < 0) return Error::from_errno(errno, "look at the workspace");
  os::Fd made;
  if (wanted.directory) {
    if (::mkdirat(parent.get(), name.c_str(), 0755) < 0)
      return Error::from_errno(errno, "make " + wanted.path);
    made = TRY(os::open_beneath(parent.get(), name, O_RDONLY | O_DIRECTORY));
  } else {
    made = TRY(os::open_beneath(parent.get(), name, O_WRONLY | O_CREAT | O_EXCL, 0644));
    TRY(os::write_all(made.get(), as_bytes(wanted.content)));
  }
  if (::geteuid() == 0 && ::fchown(made.get(), owner.st_uid, owner.st_gid) < 0)
    return Error::from_errno(errno, "give " + wanted.path + " to its owner");
  return {};
}

/// One line each: kind, content in hexadecimal, path. Paths with newlines are never recorded.
std::vector<Placeholders::Wanted> parse_record(const std::string& text) {
  std::vector<Placeholders::Wanted> made;
  for (std::size_t at = 0; at < text.size();) {
    auto end = text.find('\n', at);
    if (end == std::string::npos) break;  // cut by a crash while it was written: nothing was made for it yet
    auto line = text.substr(at, end - at);
    at = end + 1;
    if (line.size() < 3) continue;
    made.push_back({line.substr(2), line[0] == 'd', line[0] == 'c' ? ".\n" : ""});
  }
  return made;
}

char kind_of(const Placeholders::Wanted& wanted) {
  if (wanted.directory) return 'd';
  return wanted.content.empty() ? 'e' : 'c';
}

}  // namespace

Placeholders& Placeholders::operator=(Placeholders&& other) noexcept {
  if (this != &other) {
    remove();
    workspace_ = std::move(other.workspace_);
    record_path_ = std::move(other.record_path_);
    made_ = std::exchange(other.made_, {});
  }
  return *this;
}

Result<Placeholders> Placeholders::prepare(const std::string& workspace, const std::string& record) {
  Placeholders placeholders;
  placeholders.record_path_ = record;
  placeholders.workspace_ = TRY(open_workspace(workspace, O_RDONLY));
  auto text = os::read_file(placeholders.record_path_, kMaxRecord);
  if (text) {
    placeholders.made_ = parse_record(text.value());
    placeholders.remove();
  }
  ::flock(placeholders.workspace_.get(), LOCK_SH | LOCK_NB);
  return placeholders;
}

Result<void> Placeholders::record(const std::vector<Wanted>& wanted) const {
  std::string text;
  for (const auto* list : {&made_, &wanted})
    for (const auto& one : *list)
      text += std::string(1, kind_of(one)) + " " + one.path + "\n";
  // Whole or not at all, but not synced: after a power cut there is no jar to guard, and what is left behind
  // then
  // ("." in .git/commondir) changes nothing for git.
  auto temporary = record_path_ + ".tmp";
  auto file = TRY(os::open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW));
  TRY(os::write_all(file.get(), as_bytes(text)));
  if (::rename(temporary.c_str(), record_path_.c_str()) < 0)
    return Error::from_errno(errno, "rename " + temporary);
  return {};
}

Result<void> Placeholders::make(const std::vector<Wanted>& wanted) {
  std::vector<Wanted> possible;
  for (const auto& one : wanted)
    if (one.path.find('\n') == std::string::npos)
      possible.push_back(one);
    else
      return Error(ErrorCode::invalid_argument,
                   "a git directory whose name has a line break can't be guarded");
  if (possible.empty()) return {};
  TRY(record(possible));
  for (const auto& one : possible) {
    made_.push_back(one);
    TRY(make_one(workspace_.get(), one).context("making a place for the guard"));
  }
  return {};
}

void Placeholders::remove() {
  if (!workspace_ || made_.empty()) return;
  // Removing a mount point takes the mounts on it away in every jar: another one may still stand on it.
  if (::flock(workspace_.get(), LOCK_EX | LOCK_NB) < 0) return;
  for (auto one = made_.rbegin(); one != made_.rend(); ++one)
    remove_one(workspace_.get(), *one);
  made_.clear();
  ::unlink(record_path_.c_str());
  ::flock(workspace_.get(), LOCK_UN);
}

}  // namespace belljar::jar
