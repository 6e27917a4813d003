#include "undo/staging.h"

#include <cerrno>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "undo/attributes.h"
#include "undo/descent.h"

namespace belljar::undo {

namespace {

constexpr std::size_t kMostTold = 20;

std::string link_of(int file) { return fmt::format("/proc/self/fd/{}", file); }

/// Only what differs is set: to give a file to who owns it already may not be allowed.
Result<void> set_owner(int file, const struct stat& status, const Entry& entry) {
  if (status.st_uid == entry.user && status.st_gid == entry.group) return {};
  if (::fchownat(file, "", entry.user, entry.group, AT_EMPTY_PATH) < 0)
    return Error::from_errno(errno, "give it its owner");
  return {};
}

Result<void> set_times(int file, const Entry& entry) {
  timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, entry.modified.to_timespec()};
  if (::utimensat(AT_FDCWD, link_of(file).c_str(), times, 0) < 0)
    return Error::from_errno(errno, "set its time");
  return {};
}

/// Attributes need a descriptor that can do more than name the file, and that its mode may forbid.
Result<void> set_attributes(int file, const Entry& entry, std::string_view attributes) {
  auto opened = reopen(file, O_RDONLY | O_NONBLOCK);
  if (!opened && opened.error().code() == ErrorCode::permission_denied) {
    TRY(change_mode(file, S_IRWXU));
    opened = reopen(file, O_RDONLY | O_NONBLOCK);
  }
  if (!opened) return entry.attributes_size == 0 ? Result<void>() : Result<void>(std::move(opened).error());
  return write_attributes(opened->get(), attributes);
}

void note(Result<void>& first, Result<void> done) {
  if (first && !done) first = std::move(done);
}

}  // namespace

void Complaints::add(const std::string& path, const Result<void>& done) {
  if (done) return;
  ++count;
  if (lines.size() < kMostTold) lines.push_back(path + ": " + done.error().to_string());
}

Result<void> set_metadata(int file, const Entry& entry, std::string_view attributes) {
  struct stat status {};
  if (::fstat(file, &status) < 0) return Error::from_errno(errno, "look at it");
  Result<void> first;
  note(first, set_owner(file, status, entry));
  if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
    note(first, set_attributes(file, entry, attributes));
  note(first, change_mode(file, entry.mode & 07777));
  note(first, set_times(file, entry));
  return first;
}

Result<void> set_metadata_of(int file, const Entry& entry, std::string_view attributes) {
  struct stat status {};
  if (::fstat(file, &status) < 0) return Error::from_errno(errno, "look at it");
  if ((status.st_mode & S_IFMT) != (entry.mode & S_IFMT))
    return Error(ErrorCode::cancelled, "it was replaced while it was being restored");
  if (!S_ISLNK(status.st_mode)) return set_metadata(file, entry, attributes);
  Result<void> first;
  note(first, set_owner(file, status, entry));
  timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, entry.modified.to_timespec()};
  if (::utimensat(file, "", times, AT_EMPTY_PATH) < 0) note(first, Error::from_errno(errno, "set its time"));
  return first;
}

Result<Staging> Staging::make(int workspace, const std::string& name) {
  if (::mkdirat(workspace, name.c_str(), 0700) < 0)
    return Error::from_errno(errno, "make a directory in the workspace");
  auto made = TRY(open_entry(workspace, name, O_RDONLY | O_DIRECTORY));
  return Staging(std::move(made));
}

/// The descriptor of what was made: what follows is done to that very file, whatever its name stands for by
/// then.
Result<os::Fd> Staging::make(Store& store, const Entry& entry, const std::string& name,
                             const std::string& path) {
  if (entry.is_file()) {
    auto file = TRY(os::open_file_at(directory_.get(), name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW));
    if (entry.storage == Storage::large) {
      TRY(LargeFiles(store.large_directory()).restore(entry.content, entry.size, file.get()));
      return file;
    }
    auto object = TRY(store.read(entry.content, ObjectType::blob));
    TRY(os::write_all(file.get(), object.content));
    return file;
  }
  if (entry.is_symlink()) {
    auto object = TRY(store.read(entry.content, ObjectType::blob));
    std::string target(as_text(object.content));
    if (target.empty() || target.size() >= PATH_MAX || target.find('\0') != std::string::npos)
      return Error(ErrorCode::malformed, "the checkpoint has a symlink that can't be: " + path);
    if (::symlinkat(target.c_str(), directory_.get(), name.c_str()) < 0)
      return Error::from_errno(errno, "make the symlink " + path);
  } else if (::mknodat(directory_.get(), name.c_str(), (entry.mode & S_IFMT) | 0600, entry.number) < 0) {
    return Error::from_errno(errno, "make this device or FIFO");
  }
  return open_entry(directory_.get(), name, O_PATH | O_NOFOLLOW);
}

Result<void> Staging::add(Store& store, const State& then, std::uint32_t number, const std::string& path,
                          Complaints& complaints) {
  const auto& entry = then.entries[number];
  auto name = std::to_string(number);
  auto first = entry.link == 0 ? linked_.end() : linked_.find(entry.link);
  if (first != linked_.end()) {
    if (::linkat(directory_.get(), first->second.c_str(), directory_.get(), name.c_str(), 0) < 0)
      return Error::from_errno(errno, "link " + path);
    names_[number] = name;
    return {};
  }
  auto made = make(store, entry, name, path);
  if (!made && !entry.is_file() && !entry.is_symlink()) {  // devices are root's to make
    complaints.add(path, std::move(made).error());
    return {};
  }
  auto file = TRY(std::move(made).context("restoring " + path));
  complaints.add(path, set_metadata_of(file.get(), entry, then.attributes(entry)));
  names_[number] = name;
  if (entry.link != 0) linked_[entry.link] = name;
  return {};
}

Result<void> Staging::place(std::uint32_t number, int directory, const std::string& name) {
  auto from = names_.find(number);
  if (from == names_.end()) return {};  // complained of
  if (::renameat(directory_.get(), from->second.c_str(), directory, name.c_str()) < 0)
    return Error::from_errno(errno, "put " + name + " into its place");
  // rename(2) does nothing where both are links to one file.
  ::unlinkat(directory_.get(), from->second.c_str(), 0);
  return {};
}

namespace {

Result<std::vector<std::string>> names_of(int directory) {
  auto copy = TRY(os::open_file_at(directory, ".", O_RDONLY | O_DIRECTORY));
  DIR* stream = ::fdopendir(copy.get());
  if (stream == nullptr) return Error::from_errno(errno, "list a directory");
  (void)copy.release();
  std::vector<std::string> names;
  while (const auto* entry = ::readdir(stream)) {
    std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(stream);
  return names;
}

/// Whether the name is gone; false for a directory that isn't empty or is closed.
Result<bool> unlink_entry(int directory, const std::string& name) {
  if (::unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT) return true;
  if (errno != EISDIR && errno != EPERM) return Error::from_errno(errno, "remove " + name);
  if (::unlinkat(directory, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return true;
  if (errno == ENOTEMPTY || errno == EEXIST) return false;
  return Error::from_errno(errno, "remove " + name);
}

}  // namespace

Result<void> remove_entry(int directory, const std::string& name) {
  if (TRY(unlink_entry(directory, name))) return {};
  auto top = TRY(open_entry(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW));
  auto descent = TRY(Descent::begin(std::move(top), Descent::For::writing));
  struct Level {
    std::string name;
    std::vector<std::string> left;
  };
  std::vector<Level> levels;
  auto names = TRY(names_of(descent.here()));
  levels.push_back({name, std::move(names)});
  while (true) {
    auto& level = levels.back();
    if (!level.left.empty()) {
      auto next = std::move(level.left.back());
      level.left.pop_back();
      if (TRY(unlink_entry(descent.here(), next))) continue;
      TRY(descent.enter(next).context("removing " + next));
      auto below = TRY(names_of(descent.here()));
      levels.push_back({std::move(next), std::move(below)});
      continue;
    }
    auto emptied = std::move(level.name);
    levels.pop_back();
    if (levels.empty()) break;
    TRY(descent.leave(false));
    if (::unlinkat(descent.here(), emptied.c_str(), AT_REMOVEDIR) < 0)
      return Error::from_errno(errno, "remove " + emptied);
  }
  if (::unlinkat(directory, name.c_str(), AT_REMOVEDIR) < 0)
    return Error::from_errno(errno, "remove " + name);
  return {};
}

}  // namespace belljar::undo
