#include "os/fork.h"

#include <cerrno>

#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar::os {

Result<Pid> fork_process(Lifetime lifetime, const std::function<int()>& body) {
  int pidfd = -1;
  clone_args how{};
  how.flags = CLONE_PIDFD;
  how.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
  how.exit_signal = SIGCHLD;
  auto number = static_cast<pid_t>(::syscall(SYS_clone3, &how, sizeof how));
  if (number < 0) return Error::from_errno(errno, "start a process");
  if (number == 0) {
    if (lifetime == Lifetime::parents) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::_exit(body());
  }
  return Pid(number, Fd(pidfd));
}

}  // namespace belljar::os
