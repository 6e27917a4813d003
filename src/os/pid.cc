#include "os/pid.h"

#include <cerrno>
#include <utility>

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace belljar::os {

namespace {

constexpr auto kPidfd = static_cast<idtype_t>(3);  // P_PIDFD, which glibc 2.36 names only in C headers

Exit exit_of(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return {.code = info.si_status};
  return {.signal = info.si_status};
}

}  // namespace

Pid::~Pid() { end(); }

Pid::Pid(Pid&& other) noexcept : number_(std::exchange(other.number_, -1)), pidfd_(std::move(other.pidfd_)) {}

Pid& Pid::operator=(Pid&& other) noexcept {
  if (this != &other) {
    end();
    number_ = std::exchange(other.number_, -1);
    pidfd_ = std::move(other.pidfd_);
  }
  return *this;
}

void Pid::end() noexcept {
  if (!valid()) return;
  (void)signal(SIGKILL);
  (void)wait();
}

Result<void> Pid::signal(int number) const {
  if (::syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0) < 0)
    return Error::from_errno(errno, "signal a process");
  return {};
}

Result<Exit> Pid::wait() {
  siginfo_t info{};
  while (::waitid(kPidfd, static_cast<id_t>(pidfd_.get()), &info, WEXITED) < 0)
    if (errno != EINTR) return Error::from_errno(errno, "wait for a process");
  abandon();
  return exit_of(info);
}

Result<std::optional<Exit>> Pid::poll() {
  siginfo_t info{};
  while (::waitid(kPidfd, static_cast<id_t>(pidfd_.get()), &info, WEXITED | WNOHANG) < 0)
    if (errno != EINTR) return Error::from_errno(errno, "wait for a process");
  if (info.si_pid == 0) return std::optional<Exit>{};
  abandon();
  return std::optional<Exit>(exit_of(info));
}

}  // namespace belljar::os
