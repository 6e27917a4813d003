// Fd: owns a file descriptor. Everything that opens one sets O_CLOEXEC; a child gets what it is given by name
// (os/spawn.h), never what happened to be open.
#pragma once

#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"

namespace belljar::os {

class [[nodiscard]] Fd {
 public:
  Fd() = default;
  /// Takes ownership of `number`.
  explicit Fd(int number) : number_(number) {}
  ~Fd() { reset(); }

  Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;

  /// The number, still owned here.
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool valid() const { return number_ >= 0; }
  explicit operator bool() const { return valid(); }
  /// Gives the number up to the caller.
  [[nodiscard]] int release() { return std::exchange(number_, -1); }
  void reset();

  /// A second descriptor of the same open file.
  [[nodiscard]] Result<Fd> duplicate() const;

 private:
  int number_ = -1;
};

struct FdPair {
  Fd first;
  Fd second;
};

/// pipe2(2): first reads, second writes.
Result<FdPair> create_pipe();
/// socketpair(2) of AF_UNIX; `type` is SOCK_STREAM or SOCK_SEQPACKET.
Result<FdPair> create_socket_pair(int type);
/// An anonymous file with these bytes, sealed against every change; `name` is for /proc only.
Result<Fd> create_sealed_file(const std::string& name, BytesView content);

/// open(2) with O_CLOEXEC. `flags` as open takes them; `mode` for O_CREAT.
Result<Fd> open_file(const std::string& path, int flags, unsigned mode = 0600);
Result<Fd> open_file_at(int directory, const std::string& path, int flags, unsigned mode = 0600);
/// openat2(2) with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS: for every path that a jar can influence.
Result<Fd> open_beneath(int directory, const std::string& path, int flags, unsigned mode = 0600);

/// The whole of a file, at most `limit` bytes (limit_exceeded beyond).
Result<std::string> read_file(const std::string& path, std::size_t limit = 16U << 20);
Result<std::string> read_all(int fd, std::size_t limit);
Result<void> write_all(int fd, BytesView bytes);
/// Replaces a file crash-safely: temporary file in the same directory, fsync, rename, fsync of the directory.
Result<void> write_file_atomically(const std::string& path, std::string_view content, unsigned mode = 0600);
/// The same without waiting for the disk: a crash of the machine may leave an empty file until settle_file().
Result<void> replace_file(const std::string& path, std::string_view content, unsigned mode = 0600);
/// fsync of a file and of the directory that it is in.
Result<void> settle_file(const std::string& path);

Result<void> set_nonblocking(int fd, bool nonblocking = true);

/// mkdir -p with this mode for what is created.
Result<void> create_directories(const std::string& path, unsigned mode = 0700);

}  // namespace belljar::os
