#include "keeper/host_streams.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <limits.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "rt/loop.h"

namespace belljar::keeper {

Result<std::size_t> HostStream::read_some(std::span<std::uint8_t> buffer) {
  while (true) {
    TRY(rt::await_readable(fd_, rt::Deadline::never()));
    auto count = ::read(fd_, buffer.data(), buffer.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EIO) return std::size_t{0};  // a terminal that hung up
    if (errno != EINTR && errno != EAGAIN) return Error::from_errno(errno, "read a standard stream");
  }
}

Result<void> HostStream::write(BytesView bytes) {
  while (!bytes.empty()) {
    TRY(rt::await_writable(fd_, rt::Deadline::never()));
    // A pipe that is ready takes PIPE_BUF bytes without blocking.
    auto count = ::write(fd_, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
    if (count < 0 && errno != EINTR && errno != EAGAIN)
      return Error::from_errno(errno, "write a standard stream");
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Result<RawTerminal> RawTerminal::enter(int fd) {
  termios before{};
  if (::tcgetattr(fd, &before) < 0) return Error::from_errno(errno, "read the terminal's mode");
  termios raw = before;
  ::cfmakeraw(&raw);
  if (::tcsetattr(fd, TCSADRAIN, &raw) < 0) return Error::from_errno(errno, "set the terminal's mode");
  return RawTerminal(fd, before);
}

RawTerminal::RawTerminal(RawTerminal&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), before_(other.before_) {}

RawTerminal::~RawTerminal() {
  // What wasn't read is thrown away: it may be the terminal's answer to what the jar wrote last, which a
  // shell would take for something typed.
  if (fd_ >= 0) ::tcsetattr(fd_, TCSAFLUSH, &before_);
}

jar::TerminalSize size_of_terminal(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_row == 0 || size.ws_col == 0) return {};
  return {.rows = size.ws_row, .columns = size.ws_col};
}

}  // namespace belljar::keeper
