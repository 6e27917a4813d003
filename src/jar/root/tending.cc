#include "jar/root/tending.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/fork.h"

namespace belljar::jar {

namespace {

/// Keeps nothing of who started it but the generation's lock: no door, no stream, no lock of the jar.
void leave_behind(int kept) {
  auto null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int n = 0; n < 3; ++n)
    ::dup2(null, n);
  auto number = static_cast<unsigned>(kept);
  if (number > 3) ::syscall(SYS_close_range, 3U, number - 1, 0U);
  ::syscall(SYS_close_range, number + 1, ~0U, 0U);
  for (int signal = 1; signal < NSIG; ++signal)
    ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void step_back() {
  constexpr int kProcess = 1, kIdle = 3 << 13;  // IOPRIO_WHO_PROCESS, class idle
  ::setpriority(PRIO_PROCESS, 0, 19);
  ::syscall(SYS_ioprio_set, kProcess, 0, kIdle);
}

}  // namespace

Result<os::Pid> start_tending(const GenerationRequest& request, const Generation& generation) {
  return os::fork_process(os::Lifetime::parents, [&] {
    leave_behind(generation.lock.get());
    step_back();
    return tend_generation(request, generation) ? 0 : 1;
  });
}

}  // namespace belljar::jar
