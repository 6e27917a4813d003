#include "os/spawn.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/fork.h"
#include "os/processors.h"

namespace belljar::os {

namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const auto& text : texts)
    out.push_back(const_cast<char*>(text.c_str()));  // NOLINT: execve's signature
  out.push_back(nullptr);
  return out;
}

/// Puts descriptor plan.fds[n] at n. All are first moved above the targets, so that none overwrites another.
bool arrange_fds(const std::vector<int>& fds, int& program_fd, int report_fd, int& moved_report) {
  auto count = static_cast<int>(fds.size()) < 3 ? 3 : static_cast<int>(fds.size());
  std::vector<int> moved(static_cast<std::size_t>(count), -1);
  moved_report = ::fcntl(report_fd, F_DUPFD_CLOEXEC, count);
  if (program_fd >= 0) program_fd = ::fcntl(program_fd, F_DUPFD_CLOEXEC, count);
  for (std::size_t n = 0; n < fds.size(); ++n)
    if (fds[n] >= 0 && (moved[n] = ::fcntl(fds[n], F_DUPFD_CLOEXEC, count)) < 0) return false;
  for (int n = 0; n < count; ++n) {
    int source = moved[static_cast<std::size_t>(n)];
    if (source >= 0) {
      if (::dup2(source, n) < 0) return false;
    } else if (n < 3) {
      ::close(n);
      if (::open("/dev/null", O_RDWR) != n) return false;
    } else {
      ::close(n);
    }
  }
  // What stays is close-on-exec from here on.
  return ::syscall(SYS_close_range, static_cast<unsigned>(count), ~0U, CLOSE_RANGE_CLOEXEC) == 0;
}

struct ChildView {
  const SpawnPlan& plan;
  char* const* arguments;
  char* const* environment;
  int report;
};

[[noreturn]] void run_child(ChildView view) {
  int report = view.report;
  int program_fd = view.plan.program_fd;
  if (view.plan.die_with_parent) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (view.plan.new_session) ::setsid();
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (arrange_fds(view.plan.fds, program_fd, view.report, report)) {
    if (program_fd >= 0)
      ::syscall(SYS_execveat, program_fd, "", view.arguments, view.environment, AT_EMPTY_PATH);
    else
      ::execve(view.plan.program.c_str(), view.arguments, view.environment);
  }
  int failure = errno;
  if (::write(report, &failure, sizeof failure) < 0) ::_exit(126);
  ::_exit(127);
}

}  // namespace

Result<Pid> spawn(const SpawnPlan& plan) {
  auto report = TRY(create_pipe());
  auto arguments = pointers_to(plan.arguments);
  auto environment = pointers_to(plan.environment);

  auto cloned = TRY(clone_process(0));
  if (!cloned) run_child({plan, arguments.data(), environment.data(), report.second.get()});

  Pid child = std::move(*cloned);
  report.second.reset();
  if (!plan.await_program) {
    begin_elsewhere(child);
    return child;
  }
  int failure = 0;
  ssize_t count = 0;
  while ((count = ::read(report.first.get(), &failure, sizeof failure)) < 0 && errno == EINTR)
    continue;
  if (count == sizeof failure) return Error::from_errno(failure, "execute " + plan.program);
  return child;
}

}  // namespace belljar::os
