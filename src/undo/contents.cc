#include "undo/contents.h"

#include <cerrno>

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "undo/attributes.h"
#include "undo/descent.h"

namespace belljar::undo {

namespace {

constexpr int kAttempts = 3;

void mark_unsaved(Entry& entry, Reason reason) {
  entry.storage = Storage::unsaved;
  entry.reason = reason;
  entry.content = {};
}

/// Opens a regular file for reading through its O_PATH descriptor. One of the caller's own that is closed to
/// it is opened for that moment.
Result<os::Fd> open_file_of(int place, const struct stat& status) {
  auto file = reopen(place, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (file || file.error().code() != ErrorCode::permission_denied || status.st_uid != ::geteuid())
    return file;
  TRY(change_mode(place, (status.st_mode & 07777) | S_IRUSR));
  file = reopen(place, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  TRY(change_mode(place, status.st_mode & 07777));
  return file;
}

bool is_gone(const Error& error) {
  int number = error.system_errno();
  return number == ENOENT || number == ENOTDIR || number == ELOOP;
}

}  // namespace

void set_status(const struct stat& status, Entry& entry) {
  entry.size = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
  entry.modified = to_moment(status.st_mtim);
  entry.changed = to_moment(status.st_ctim);
  entry.inode = status.st_ino;
  entry.number = S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) ? status.st_rdev : 0;
  entry.mode = status.st_mode;
  entry.user = status.st_uid;
  entry.group = status.st_gid;
}

Result<bool> Contents::is_known(const ObjectId& id) {
  if (pack_.has(id)) return true;
  return store_.has(id);
}

Result<ObjectId> Contents::put(ObjectType type, BytesView content) {
  auto id = id_of(type, content);
  if (!rules_.look_only && !TRY(is_known(id))) TRY(pack_.add(id, type, content));
  return id;
}

Result<Contents::Taken> Contents::take_symlink(int directory, const std::string& name, Entry& entry) {
  char target[PATH_MAX + 1];
  auto size = ::readlinkat(directory, name.c_str(), target, sizeof target);
  if (size < 0) return Taken{};
  entry.content =
      TRY(put(ObjectType::blob, as_bytes(std::string_view(target, static_cast<std::size_t>(size)))));
  entry.storage = Storage::blob;
  return Taken{.there = true};
}

Result<void> Contents::fill(int file, Entry& entry) {
  buffer_.resize(entry.size);
  std::size_t got = 0;
  while (got < buffer_.size()) {
    auto read = ::pread(file, buffer_.data() + got, buffer_.size() - got, static_cast<off_t>(got));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return Error::from_errno(errno, "read a file of the workspace");
    if (read == 0) break;
    got += static_cast<std::size_t>(read);
  }
  buffer_.resize(got);
  entry.size = got;
  bytes_ += got;
  return {};
}

Result<void> Contents::keep(Entry& entry) {
  entry.content = id_of(ObjectType::blob, buffer_);
  entry.storage = Storage::blob;
  entry.reason = Reason::none;
  if (rules_.look_only || TRY(is_known(entry.content))) return {};
  if (!has_room(buffer_.size())) {
    mark_unsaved(entry, Reason::no_room);
    return {};
  }
  return pack_.add(entry.content, ObjectType::blob, buffer_);
}

Result<Contents::Taken> Contents::take(int directory, const std::string& name, Entry& entry) {
  if (entry.is_symlink()) return take_symlink(directory, name, entry);
  auto unreadable = [&entry](Reason reason) {
    mark_unsaved(entry, reason);
    return Taken{.there = true};
  };
  auto place = open_entry(directory, name, O_PATH | O_NOFOLLOW);
  if (!place) {
    if (is_gone(place.error())) return Taken{};
    return unreadable(place.error().system_errno() == EXDEV ? Reason::mounted : Reason::unreadable);
  }
  struct stat status {};
  if (::fstat(place->get(), &status) < 0 || !S_ISREG(status.st_mode)) return Taken{};
  auto file = open_file_of(place->get(), status);
  if (!file) return unreadable(Reason::unreadable);
  Taken taken{.there = true, .attributes = read_attributes(file->get())};
  for (int attempt = 1;; ++attempt) {
    if (::fstat(file->get(), &status) < 0) return Error::from_errno(errno, "look at " + name);
    set_status(status, entry);
    if (entry.size > kLarge) {
      taken.deferred = true;
      return taken;
    }
    if (!fill(file->get(), entry)) return unreadable(Reason::unreadable);
    struct stat after {};
    if (::fstat(file->get(), &after) < 0) return Error::from_errno(errno, "look at " + name);
    bool steady = to_moment(after.st_ctim) == entry.changed && to_moment(after.st_mtim) == entry.modified;
    if (!steady && attempt < kAttempts) continue;
    TRY(keep(entry));
    return taken;
  }
}

/// A file that was saved before is looked at again when its times can't be trusted.
Result<void> Contents::keep_large_if_known(int file, Entry& entry) {
  mark_unsaved(entry, Reason::no_room);
  if (allocated(file) > rules_.largest) return {};
  auto id = name_content(file, entry.size);
  if (!id || !large_.has(*id)) return {};
  entry.content = *id;
  entry.storage = Storage::large;
  entry.reason = Reason::none;
  return {};
}

Result<void> Contents::save_large(int workspace, const std::optional<std::string>& path, Entry& entry) {
  if (!path) {
    mark_unsaved(entry, Reason::unreadable);
    return {};
  }
  auto place = open_entry(workspace, *path, O_PATH | O_NOFOLLOW);
  struct stat status {};
  if (!place || ::fstat(place->get(), &status) < 0 || !S_ISREG(status.st_mode)) {
    mark_unsaved(entry, Reason::unreadable);
    return {};
  }
  auto file = open_file_of(place->get(), status);
  if (!file) {
    mark_unsaved(entry, Reason::unreadable);
    return {};
  }
  // Once more: opening a file that was closed to us has changed its ctime.
  if (::fstat(file->get(), &status) < 0) return Error::from_errno(errno, "look at " + *path);
  set_status(status, entry);
  if (entry.size > rules_.ignored && ignored_.is_ignored(workspace, *path)) {
    mark_unsaved(entry, Reason::ignored);
    return {};
  }
  if (rules_.look_only) {
    entry.content = TRY(name_content(file->get(), entry.size));
    entry.storage = Storage::large;
    entry.reason = Reason::none;
    return {};
  }
  if (!has_room(allocated(file->get()))) return keep_large_if_known(file->get(), entry);
  auto saved = large_.save(file->get(), rules_.room - pack_.size() - spent_);
  if (!saved && saved.error().code() == ErrorCode::limit_exceeded)
    return keep_large_if_known(file->get(), entry);
  if (!saved && saved.error().code() == ErrorCode::cancelled) {
    mark_unsaved(entry, Reason::unreadable);
    return {};
  }
  auto content = TRY(std::move(saved));
  bytes_ += entry.size;
  spent_ += content.stored;
  if (content.stored != 0) added_.push_back(large_.path(content.id));
  entry.content = content.id;
  entry.storage = Storage::large;
  entry.reason = Reason::none;
  return {};
}

}  // namespace belljar::undo
