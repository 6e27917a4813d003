#include "os/fork.h"

#include <cerrno>
#include <utility>

#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar::os {

Result<std::optional<Pid>> clone_process(std::uint64_t namespaces) {
  int pidfd = -1;
  clone_args how{};
  how.flags = namespaces | CLONE_PIDFD;
  how.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
  how.exit_signal = SIGCHLD;
  auto number = static_cast<pid_t>(::syscall(SYS_clone3, &how, sizeof how));
  if (number < 0) return Error::from_errno(errno, "start a process");
  if (number == 0) return std::optional<Pid>();
  return std::optional<Pid>(std::in_place, number, Fd(pidfd));
}

Result<Pid> fork_process(Lifetime lifetime, const std::function<int()>& body) {
  auto child = TRY(clone_process(0));
  if (!child) {
    if (lifetime == Lifetime::parents) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::_exit(body());
  }
  return std::move(*child);
}

void close_all_but(int kept) {
  if (kept > 0) ::close_range(0, static_cast<unsigned>(kept) - 1, 0);
  ::close_range(static_cast<unsigned>(kept + 1), ~0U, 0);
}

Result<Pid> fork_unhurried(int kept, const std::function<int()>& body) {
  constexpr useconds_t kMoment = 50'000;
  return fork_process(Lifetime::own, [kept, &body] {
    close_all_but(kept);
    ::usleep(kMoment);
    return body();
  });
}

}  // namespace belljar::os
