#include "io/fd_stream.h"

#include <cerrno>
#include <string>
#include <utility>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/channel.h"
#include "rt/loop.h"

namespace belljar::io {

namespace {

enum class Kind { socket, terminal, other };

bool would_block(int number) { return number == EAGAIN || number == EWOULDBLOCK; }

class FdStream final : public Stream {
 public:
  FdStream(os::Fd fd, Kind kind, bool restore) : fd_(std::move(fd)), kind_(kind), restore_(restore) {}
  FdStream(const FdStream&) = delete;
  FdStream& operator=(const FdStream&) = delete;
  ~FdStream() override { close(); }

  Result<std::size_t> read_some(std::span<std::uint8_t> buffer) override;
  Result<void> write(BytesView bytes) override;
  Result<void> close_write() override;
  void set_read_deadline(rt::Deadline deadline) override { read_deadline_ = deadline; }
  void set_write_deadline(rt::Deadline deadline) override { write_deadline_ = deadline; }
  [[nodiscard]] bool is_quiet() const override;

 private:
  ssize_t write_once(BytesView bytes) const;
  void close();

  os::Fd fd_;
  Kind kind_;
  bool restore_;  ///< Whether the open file was blocking and may be shared with others who expect that.
  rt::Deadline read_deadline_ = rt::Deadline::never();
  rt::Deadline write_deadline_ = rt::Deadline::never();
};

/// Before each call: the deadline counts also while the peer is fast enough for us never to wait.
Result<void> may_go_on(rt::Deadline deadline) {
  TRY(rt::checkpoint());
  if (deadline.passed()) return Error(ErrorCode::timed_out, "timed out");
  return {};
}

Result<std::size_t> FdStream::read_some(std::span<std::uint8_t> buffer) {
  for (;;) {
    TRY(may_go_on(read_deadline_));
    auto count = kind_ == Kind::socket ? ::recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT)
                                       : ::read(fd_.get(), buffer.data(), buffer.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    // How the master of a terminal learns that the last program on it has ended.
    if (errno == EIO && kind_ == Kind::terminal) return std::size_t{0};
    if (!would_block(errno)) return Error::from_errno(errno, "read from a stream");
    TRY(rt::await_readable(fd_.get(), read_deadline_));
  }
}

ssize_t FdStream::write_once(BytesView bytes) const {
  if (kind_ == Kind::socket)
    return ::send(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return ::write(fd_.get(), bytes.data(), bytes.size());
}

Result<void> FdStream::write(BytesView bytes) {
  if (!fd_) return Error(ErrorCode::closed, "the stream's writing side is closed");
  while (!bytes.empty()) {
    TRY(may_go_on(write_deadline_));
    auto count = write_once(bytes);
    if (count >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    } else if (would_block(errno)) {
      TRY(rt::await_writable(fd_.get(), write_deadline_));
    } else if (errno != EINTR) {
      return Error::from_errno(errno, "write to a stream");
    }
  }
  return {};
}

Result<void> FdStream::close_write() {
  if (!fd_) return {};
  if (kind_ == Kind::socket) {
    if (::shutdown(fd_.get(), SHUT_WR) < 0 && errno != ENOTCONN)
      return Error::from_errno(errno, "close a stream's writing side");
    return {};
  }
  // A terminal that is read through the same descriptor has no half to close.
  int flags = ::fcntl(fd_.get(), F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) == O_WRONLY) close();
  return {};
}

bool FdStream::is_quiet() const {
  if (kind_ != Kind::socket) return true;
  char byte = 0;
  return ::recv(fd_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && would_block(errno);
}

void FdStream::close() {
  if (fd_ && restore_) (void)os::set_nonblocking(fd_.get(), false);
  fd_.reset();
}

/// A terminal under a description of our own, so that making it non-blocking does not reach the shell that
/// gave it to us. Not for a master, which can't be opened twice. Invalid when there is no way.
os::Fd reopen_terminal(int fd) {
  int number = 0;
  if (::ioctl(fd, TIOCGPTN, &number) == 0) return {};
  int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) return {};
  auto path = "/proc/self/fd/" + std::to_string(fd);
  return os::Fd(::open(path.c_str(), (flags & O_ACCMODE) | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
}

/// A reader that went away is an error to return, not the end of this process. Sockets say so call by call.
void ignore_broken_pipes() {
  struct sigaction action {};
  if (::sigaction(SIGPIPE, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) ::signal(SIGPIPE, SIG_IGN);
}

}  // namespace

Result<std::unique_ptr<Stream>> open_fd_stream(os::Fd fd) {
  struct stat status {};
  if (::fstat(fd.get(), &status) < 0) return Error::from_errno(errno, "open a stream");
  if (S_ISSOCK(status.st_mode)) {
    // What we write is whole already; fails, rightly, on all but TCP.
    int on = 1;
    (void)::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return std::unique_ptr<Stream>(std::make_unique<FdStream>(std::move(fd), Kind::socket, false));
  }
  ignore_broken_pipes();
  auto kind = ::isatty(fd.get()) == 1 ? Kind::terminal : Kind::other;
  if (kind == Kind::terminal)
    if (auto own = reopen_terminal(fd.get()))
      return std::unique_ptr<Stream>(std::make_unique<FdStream>(std::move(own), kind, false));
  int flags = ::fcntl(fd.get(), F_GETFL);
  TRY(os::set_nonblocking(fd.get()));
  bool restore = flags >= 0 && (flags & O_NONBLOCK) == 0;
  return std::unique_ptr<Stream>(std::make_unique<FdStream>(std::move(fd), kind, restore));
}

struct MessageSocket::Senders {
  bool waiting = false;  ///< One of them watches the descriptor; the others wait for that one.
  rt::WaitList others;
};

MessageSocket::MessageSocket() = default;
MessageSocket::MessageSocket(MessageSocket&&) noexcept = default;
MessageSocket& MessageSocket::operator=(MessageSocket&&) noexcept = default;
MessageSocket::~MessageSocket() = default;

Result<MessageSocket> MessageSocket::open(os::Fd socket) {
  TRY(os::set_nonblocking(socket.get()));
  MessageSocket opened;
  opened.socket_ = std::move(socket);
  opened.senders_ = std::make_unique<Senders>();
  return opened;
}

Result<void> MessageSocket::send(BytesView bytes, std::span<const int> fds, rt::Deadline deadline) {
  for (;;) {
    auto sent = os::send_message(socket_.get(), bytes, fds);
    if (sent.ok() || !would_block(sent.error().system_errno())) return sent;
    if (senders_->waiting) {
      TRY(senders_->others.wait(deadline));
      continue;
    }
    senders_->waiting = true;
    auto writable = rt::await_writable(socket_.get(), deadline);
    senders_->waiting = false;
    senders_->others.wake_all();
    TRY(std::move(writable));
  }
}

Result<std::optional<os::Message>> MessageSocket::receive(rt::Deadline deadline) {
  for (;;) {
    auto message = os::receive_message(socket_.get());
    // Told once, and before the messages that are still there, when the peer closed with some of ours unread.
    if (!message.ok() && message.error().system_errno() == ECONNRESET) continue;
    if (message.ok() || !would_block(message.error().system_errno())) return message;
    TRY(rt::await_readable(socket_.get(), deadline));
  }
}

}  // namespace belljar::io
