#include "rt/signals.h"

#include <cerrno>
#include <utility>

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "rt/loop.h"

namespace belljar::rt {

Result<SignalWatch> SignalWatch::open(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (int number : signals)
    sigaddset(&set, number);
  os::Fd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) return Error::from_errno(errno, "watch signals");
  sigset_t previous;
  if (int failed = ::pthread_sigmask(SIG_BLOCK, &set, &previous); failed != 0)
    return Error::from_errno(failed, "block signals");
  return SignalWatch(std::move(fd), previous);
}

SignalWatch::SignalWatch(SignalWatch&& other) noexcept
    : fd_(std::move(other.fd_)), previous_(other.previous_) {}

SignalWatch::~SignalWatch() {
  if (fd_) ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

Result<int> SignalWatch::next(Deadline deadline) {
  for (;;) {
    signalfd_siginfo info{};
    auto count = ::read(fd_.get(), &info, sizeof info);
    if (count == static_cast<ssize_t>(sizeof info)) return static_cast<int>(info.ssi_signo);
    if (count < 0 && errno != EAGAIN && errno != EINTR) return Error::from_errno(errno, "read a signal");
    TRY(await_readable(fd_.get(), deadline));
  }
}

}  // namespace belljar::rt
