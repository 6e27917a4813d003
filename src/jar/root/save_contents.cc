#include "jar/root/save_contents.h"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace belljar::jar {

namespace {

constexpr std::size_t kMaxList = 64U << 20;
constexpr std::size_t kChunk = 1U << 20;

bool is_as_listed(const struct stat& status, const LargeFile& file) {
  return S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) == file.size &&
         status.st_mtim.tv_sec == file.seconds && status.st_mtim.tv_nsec == file.nanoseconds;
}

bool is_saved(int data, const LargeFile& file) {
  struct stat status {};
  return ::fstatat(data, file.path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && is_as_listed(status, file);
}

void make_parents(int data, const std::string& path, const Identity& identity) {
  for (auto at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    auto parent = path.substr(0, at);
    if (::mkdirat(data, parent.c_str(), 0755) < 0) continue;
    if (identity.privileged) (void)!::fchownat(data, parent.c_str(), identity.user, identity.group, 0);
  }
}

Result<void> copy_bytes(int from, int to) {
  if (::ioctl(to, FICLONE, from) == 0) return {};  // shares the blocks, where the file system can
  while (true) {
    auto count = ::copy_file_range(from, nullptr, to, nullptr, kChunk, 0);
    if (count == 0) return {};
    if (count > 0) continue;
    if (errno != EXDEV && errno != EINVAL && errno != EOPNOTSUPP && errno != ENOSYS)
      return Error::from_errno(errno, "copy");
    break;
  }
  Bytes buffer(kChunk);
  while (true) {
    auto count = ::read(from, buffer.data(), buffer.size());
    if (count < 0) return Error::from_errno(errno, "read");
    if (count == 0) return {};
    TRY(os::write_all(to, BytesView(buffer.data(), static_cast<std::size_t>(count))));
  }
}

/// False when the host's file isn't the listed one, or changed under our hands.
Result<bool> save_one(int host, int data, const LargeFile& file, const Identity& identity) {
  auto from = os::open_file_at(host, file.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat before {
  }, after{};
  if (!from || ::fstat(from->get(), &before) < 0 || !is_as_listed(before, file) ||
      (before.st_mode & S_IROTH) == 0)
    return false;
  make_parents(data, file.path, identity);
  auto temporary = file.path + ".saving";
  ::unlinkat(data, temporary.c_str(), 0);
  auto to = TRY(os::open_file_at(data, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  TRY(copy_bytes(from->get(), to.get()));
  if (::fstat(from->get(), &after) < 0 || !is_as_listed(after, file) ||
      after.st_ctim.tv_sec != before.st_ctim.tv_sec || after.st_ctim.tv_nsec != before.st_ctim.tv_nsec)
    return false;
  if (identity.privileged && ::fchown(to.get(), identity.user, identity.group) < 0)
    return Error::from_errno(errno, "give " + file.path + " to the jars");
  timespec times[2] = {before.st_mtim, before.st_mtim};
  if (::fchmod(to.get(), before.st_mode & 0777) < 0 || ::futimens(to.get(), times) < 0 ||
      ::renameat(data, temporary.c_str(), data, file.path.c_str()) < 0)
    return Error::from_errno(errno, "keep " + file.path);
  return true;
}

/// Half of what is free stays free: what a jar has of the host must not stop the host.
Result<void> check_room(int data, const std::vector<LargeFile>& files) {
  std::uint64_t wanted = 0;
  for (const auto& file : files)
    if (!is_saved(data, file)) wanted += file.size;
  struct statvfs space {};
  if (::fstatvfs(data, &space) < 0) return Error::from_errno(errno, "look for room");
  auto available = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
  if (wanted <= available / 2) return {};
  return Error(ErrorCode::limit_exceeded,
               fmt::format("{} MB are needed and {} MB free", wanted / 1'000'000, available / 1'000'000));
}

}  // namespace

Result<void> write_list(const std::string& path, const std::vector<LargeFile>& files) {
  std::string text;
  for (const auto& file : files)
    text += fmt::format("{} {} {} {}", file.size, file.seconds, file.nanoseconds, file.path) + '\0';
  text += std::string("end") + '\0';
  return os::replace_file(path, text);
}

Result<std::vector<LargeFile>> read_list(const std::string& path) {
  auto text = TRY(os::read_file(path, kMaxList));
  std::vector<LargeFile> files;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    const auto* stop = std::find(at, end, '\0');
    if (stop == end) break;
    if (std::string_view(at, static_cast<std::size_t>(stop - at)) == "end") return files;
    LargeFile file;
    auto size = std::from_chars(at, stop, file.size);
    auto seconds = std::from_chars(std::min(size.ptr + 1, stop), stop, file.seconds);
    auto nanoseconds = std::from_chars(std::min(seconds.ptr + 1, stop), stop, file.nanoseconds);
    if (size.ec != std::errc() || seconds.ec != std::errc() || nanoseconds.ec != std::errc()) break;
    file.path.assign(std::min(nanoseconds.ptr + 1, stop), stop);
    files.push_back(std::move(file));
    at = stop + 1;
  }
  return Error(ErrorCode::malformed, "the list of contents " + path + " is damaged");
}

Result<SavedState> save_contents(const SaveSource& source, const std::vector<LargeFile>& files,
                                 const Identity& identity) {
  auto host = TRY(os::open_file(source.host, O_RDONLY | O_DIRECTORY));
  auto data = TRY(os::open_file(source.data, O_RDONLY | O_DIRECTORY));
  TRY(check_room(data.get(), files));
  for (const auto& file : files) {
    if (is_saved(data.get(), file)) continue;
    auto kept = TRY(save_one(host.get(), data.get(), file, identity));
    if (!kept) return SavedState::changed;
  }
  return SavedState::all;
}

Result<void> complete_tree(const std::string& data, const std::string& tree,
                           const std::vector<LargeFile>& files) {
  auto from = TRY(os::open_file(data, O_RDONLY | O_DIRECTORY));
  auto to = TRY(os::open_file(tree, O_RDONLY | O_DIRECTORY));
  for (const auto& file : files) {
    struct stat content {
    }, there{};
    const char* path = file.path.c_str();
    if (::fstatat(from.get(), path, &content, AT_SYMLINK_NOFOLLOW) < 0)
      return Error::from_errno(errno, "look at the saved " + file.path);
    if (::fstatat(to.get(), path, &there, AT_SYMLINK_NOFOLLOW) == 0 && there.st_ino == content.st_ino)
      continue;
    auto temporary = file.path + ".saving";
    ::unlinkat(to.get(), temporary.c_str(), 0);
    if (::linkat(from.get(), path, to.get(), temporary.c_str(), 0) < 0 ||
        ::renameat(to.get(), temporary.c_str(), to.get(), path) < 0)
      return Error::from_errno(errno, "put the saved " + file.path + " in its place");
  }
  return {};
}

void link_contents(const std::string& previous, const std::string& data, const std::vector<LargeFile>& files,
                   const Identity& identity) {
  auto from = os::open_file(previous, O_RDONLY | O_DIRECTORY);
  auto to = os::open_file(data, O_RDONLY | O_DIRECTORY);
  if (!from || !to) return;
  for (const auto& file : files) {
    struct stat status {};
    if (::fstatat(from->get(), file.path.c_str(), &status, AT_SYMLINK_NOFOLLOW) < 0 ||
        !is_as_listed(status, file) || status.st_uid != identity.user)
      continue;
    make_parents(to->get(), file.path, identity);
    // What can't be linked is saved anew.
    bool linked = ::linkat(from->get(), file.path.c_str(), to->get(), file.path.c_str(), 0) == 0;
    (void)linked;
  }
}

bool host_has_rest(const SaveSource& source, const std::vector<LargeFile>& files) {
  auto host = os::open_file(source.host, O_RDONLY | O_DIRECTORY);
  auto data = os::open_file(source.data, O_RDONLY | O_DIRECTORY);
  if (!host || !data) return false;
  return std::all_of(files.begin(), files.end(), [&](const LargeFile& file) {
    struct stat status {};
    return is_saved(data->get(), file) ||
           (::fstatat(host->get(), file.path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            is_as_listed(status, file));
  });
}

}  // namespace belljar::jar
