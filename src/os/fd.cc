#include "os/fd.h"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar::os {

namespace {

/// Runs a call again as long as a signal interrupts it.
template <typename Call>
auto retry(Call call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

std::string parent_of(const std::string& path) {
  auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

void Fd::reset() {
  if (number_ >= 0) ::close(number_);  // Linux frees the number whatever close returns
  number_ = -1;
}

Result<Fd> Fd::duplicate() const {
  int copy = ::fcntl(number_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return Error::from_errno(errno, "duplicate a descriptor");
  return Fd(copy);
}

Result<FdPair> create_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) < 0) return Error::from_errno(errno, "create a pipe");
  return FdPair{Fd(ends[0]), Fd(ends[1])};
}

Result<FdPair> create_socket_pair(int type) {
  int ends[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) < 0)
    return Error::from_errno(errno, "create a socket pair");
  return FdPair{Fd(ends[0]), Fd(ends[1])};
}

Result<Fd> create_sealed_file(const std::string& name, BytesView content) {
  Fd file(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return Error::from_errno(errno, "create an anonymous file");
  TRY(write_all(file.get(), content));
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
    return Error::from_errno(errno, "seal an anonymous file");
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

Result<Fd> open_file(const std::string& path, int flags, unsigned mode) {
  return open_file_at(AT_FDCWD, path, flags, mode);
}

Result<Fd> open_file_at(int directory, const std::string& path, int flags, unsigned mode) {
  Fd file(retry([&] { return ::openat(directory, path.c_str(), flags | O_CLOEXEC, mode); }));
  if (!file) return Error::from_errno(errno, "open " + path);
  return file;
}

Result<Fd> open_beneath(int directory, const std::string& path, int flags, unsigned mode) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags) | O_CLOEXEC;
  how.mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  Fd file(static_cast<int>(
      retry([&] { return ::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how); })));
  if (!file) return Error::from_errno(errno, "open " + path);
  return file;
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  auto file = TRY(open_file(path, O_RDONLY));
  return read_all(file.get(), limit).context("read " + path);
}

Result<std::string> read_all(int fd, std::size_t limit) {
  std::string text;
  char chunk[16384];
  while (true) {
    auto count = retry([&] { return ::read(fd, chunk, sizeof chunk); });
    if (count < 0) return Error::from_errno(errno, "read");
    if (count == 0) return text;
    if (text.size() + static_cast<std::size_t>(count) > limit)
      return Error(ErrorCode::limit_exceeded, fmt::format("larger than {} bytes", limit));
    text.append(chunk, static_cast<std::size_t>(count));
  }
}

Result<void> write_all(int fd, BytesView bytes) {
  while (!bytes.empty()) {
    auto count = retry([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (count < 0) return Error::from_errno(errno, "write");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

namespace {

enum class Sync { now, later };

Result<void> sync(int fd, const std::string& path) {
  if (::fsync(fd) < 0) return Error::from_errno(errno, "fsync " + path);
  return {};
}

Result<void> replace(const std::string& path, std::string_view content, unsigned mode, Sync when) {
  auto temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  auto written = [&]() -> Result<void> {
    auto file = TRY(open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode));
    TRY(write_all(file.get(), as_bytes(content)));
    if (when == Sync::now) TRY(sync(file.get(), temporary));
    if (::rename(temporary.c_str(), path.c_str()) < 0) return Error::from_errno(errno, "rename to " + path);
    return {};
  }();
  if (!written) ::unlink(temporary.c_str());
  return std::move(written).context("write " + path);
}

}  // namespace

Result<void> write_file_atomically(const std::string& path, std::string_view content, unsigned mode) {
  TRY(replace(path, content, mode, Sync::now));
  auto directory = TRY(open_file(parent_of(path), O_RDONLY | O_DIRECTORY));
  return sync(directory.get(), parent_of(path));
}

Result<void> replace_file(const std::string& path, std::string_view content, unsigned mode) {
  return replace(path, content, mode, Sync::later);
}

Result<void> settle_file(const std::string& path) {
  auto file = TRY(open_file(path, O_RDONLY | O_NOFOLLOW));
  TRY(sync(file.get(), path));
  auto directory = TRY(open_file(parent_of(path), O_RDONLY | O_DIRECTORY));
  return sync(directory.get(), parent_of(path));
}

Result<void> set_nonblocking(int fd, bool nonblocking) {
  int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) return Error::from_errno(errno, "fcntl F_GETFL");
  int wanted = nonblocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  if (::fcntl(fd, F_SETFL, wanted) < 0) return Error::from_errno(errno, "fcntl F_SETFL");
  return {};
}

Result<void> create_directories(const std::string& path, unsigned mode) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    auto part = path.substr(0, slash);
    if (::mkdir(part.c_str(), mode) < 0 && errno != EEXIST) {
      int saved = errno;
      struct stat info {};
      // A read-only or foreign parent that is there already is no failure.
      if (::stat(part.c_str(), &info) < 0 || !S_ISDIR(info.st_mode))
        return Error::from_errno(saved, "mkdir " + part);
    }
    if (slash == std::string::npos) return {};
  }
}

}  // namespace belljar::os
