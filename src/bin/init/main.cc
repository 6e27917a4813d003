// belljar-init: PID 1 of a jar. Reaps, starts programs on request, opens terminals, passes signals on,
// reports exits; ends, and the jar with it, when the socket to belljar closes or the jar's own program ends.
//
// Linked statically and using nothing but system calls: it lives among the jar's programs, starts in well
// under a millisecond and must not depend on any file of the jar.
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bin/init/connect.h"
#include "bin/init/modes.h"
#include "bin/init/programs.h"
#include "bin/init/socket.h"

namespace belljar::init {
namespace {

/// Whether the jar ends with this.
bool report_exit(const siginfo_t& info) {
  auto program = forget_program(info.si_pid);
  if (program.id == 0) return false;  // an orphan that came to us
  jar::InitReply reply{};
  reply.kind = jar::InitReplyKind::ended;
  reply.id = program.id;
  if (info.si_code == CLD_EXITED)
    reply.code = info.si_status;
  else
    reply.signal = info.si_status;
  send_reply(reply);
  return program.ends_jar;
}

/// False when the jar ends.
bool reap() {
  for (bool ends = false;;) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG) < 0 || info.si_pid == 0) return !ends;
    ends = report_exit(info) || ends;
  }
}

/// False when belljar is gone.
bool serve_request() {
  Request request;
  if (!receive_request(request)) return false;
  switch (request.head.kind) {
    case jar::InitRequestKind::exec:
      start_program(request);
      break;
    case jar::InitRequestKind::signal:
      signal_program(request.head.id, request.head.number);
      break;
    case jar::InitRequestKind::resize:
      resize_terminal(request.head.id, request.head.rows, request.head.columns);
      break;
    case jar::InitRequestKind::connect:
      connect_port(request);
      break;
  }
  request.close_fds();
  return true;
}

int run() {
  // Nothing in the jar may trace init, read its memory or reach its executable and descriptors in /proc.
  ::prctl(PR_SET_DUMPABLE, 0);
  if (::fcntl(jar::kInitSocket, F_SETFD, FD_CLOEXEC) < 0) return 1;  // never a program's
  int modes = open_modes() ? jar::kInitModes : -1;  // before anything else could have its number
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  int child_events = ::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  if (child_events < 0) return 1;
  while (true) {
    pollfd events[3] = {{jar::kInitSocket, POLLIN, 0}, {child_events, POLLIN, 0}, {modes, POLLIN, 0}};
    if (::poll(events, 3, -1) < 0 && errno != EINTR) return 1;
    if ((events[2].revents & POLLIN) != 0) serve_mode();
    if (events[1].revents != 0) {
      signalfd_siginfo drained[8];
      while (::read(child_events, drained, sizeof drained) > 0)
        continue;
      if (!reap()) return 0;
    }
    if (events[0].revents != 0 && !serve_request()) return 0;
  }
}

}  // namespace
}  // namespace belljar::init

int main() { return belljar::init::run(); }
