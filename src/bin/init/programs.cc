#include "bin/init/programs.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bin/init/program_text.h"
#include "bin/init/terminal.h"

namespace belljar::init {

namespace {

struct Program {
  std::uint32_t id;  ///< 0: free
  pid_t process;
  int terminal;  ///< init's own copy of the master, for resizing; -1 without
  bool ends_jar;
};

constexpr int kMaxPrograms = 256;
Program programs[kMaxPrograms];

Program* find_program(std::uint32_t id) {
  for (auto& program : programs)
    if (program.id == id) return &program;
  return nullptr;
}

/// What the child needs; shared with it until it executes (vfork), so the failure written here is seen by
/// init.
struct Launch {
  const ProgramText* text;
  int standard[3];
  int slave;
  volatile int failure;
  volatile jar::InitStage stage;
};

[[noreturn]] void fail(Launch& launch, jar::InitStage stage, int failure) {
  launch.stage = stage;
  launch.failure = failure;
  ::_exit(127);
}

void search_and_execute(const ProgramText& text, Launch& launch) {
  const char* name = text.arguments[0];
  if (std::strchr(name, '/') != nullptr) {
    ::execve(name, text.arguments, text.environment);
    fail(launch, jar::InitStage::execute, errno);
  }
  int failure = ENOENT;
  char path[4096];
  for (const char* from = text.search_path(); *from != 0;) {
    auto length = std::strcspn(from, ":");
    if (length > 0 && length + 1 + std::strlen(name) < sizeof path) {
      std::memcpy(path, from, length);
      path[length] = '/';
      std::strcpy(path + length + 1, name);
      ::execve(path, text.arguments, text.environment);
      if (errno != ENOENT && errno != ENOTDIR) failure = errno;
    }
    from += length + (from[length] == ':' ? 1U : 0U);
  }
  fail(launch, jar::InitStage::execute, failure);
}

[[noreturn]] void run_child(Launch& launch) {
  ::setsid();
  if (launch.slave >= 0 && ::ioctl(launch.slave, TIOCSCTTY, 0) < 0)
    fail(launch, jar::InitStage::terminal, errno);
  for (int n = 0; n < 3; ++n)
    if (::dup2(launch.standard[n], n) < 0) fail(launch, jar::InitStage::process, errno);
  if (::chdir(launch.text->working_directory) < 0) fail(launch, jar::InitStage::working_directory, errno);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  search_and_execute(*launch.text, launch);
  fail(launch, jar::InitStage::execute, ENOENT);
}

/// 0–2 of the child: what came with the request, else the terminal, else /dev/null. All above 2.
bool choose_standard(const Request& request, int slave, int null, Launch& launch) {
  int next = 1;
  for (int n = 0; n < 3; ++n) {
    bool given = (request.head.standard & (1U << n)) != 0;
    if (given && next >= request.fd_count) return false;
    launch.standard[n] = given ? request.fds[next++] : (slave >= 0 ? slave : null);
  }
  return true;
}

void refuse(const Request& request, jar::InitStage stage, int failure) {
  jar::InitReply reply{};
  reply.kind = jar::InitReplyKind::started;
  reply.id = request.head.id;
  reply.failure = failure;
  reply.stage = stage;
  send_reply(reply);
}

void launch_program(Request& request, const ProgramText& text, Program& slot) {
  Terminal terminal;
  if (request.head.terminal != 0) {
    int failure = terminal.open(request.head.rows, request.head.columns);
    if (failure != 0) return refuse(request, jar::InitStage::terminal, failure);
  }
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  Launch launch{&text, {}, terminal.slave, 0, jar::InitStage::process};
  if (!choose_standard(request, terminal.slave, null, launch)) {
    ::close(null);
    return refuse(request, jar::InitStage::request, EINVAL);
  }
  pid_t process = ::vfork();
  if (process == 0) run_child(launch);
  int failure = process < 0 ? errno : launch.failure;
  ::close(null);
  if (failure != 0)
    return refuse(request, launch.stage, failure);  // the child, if any, is reaped as an orphan
  slot = {request.head.id, process, terminal.take_master(), request.head.ends_jar != 0};
  jar::InitReply reply{};
  reply.kind = jar::InitReplyKind::started;
  reply.id = request.head.id;
  send_reply(reply, slot.terminal);
}

}  // namespace

void start_program(Request& request) {
  auto* slot = find_program(0);
  if (slot == nullptr || request.head.id == 0) return refuse(request, jar::InitStage::request, EAGAIN);
  if (request.fd_count < 1) return refuse(request, jar::InitStage::request, EINVAL);
  ProgramText text;
  if (int failure = text.load(request.fds[0]); failure != 0)
    return refuse(request, jar::InitStage::request, failure);
  launch_program(request, text, *slot);
}

void signal_program(std::uint32_t id, int number) {
  auto* program = id == 0 ? nullptr : find_program(id);
  if (program == nullptr) return;
  bool from_keyboard = number == SIGINT || number == SIGQUIT || number == SIGTSTP || number == SIGCONT ||
                       number == SIGHUP || number == SIGWINCH;
  ::kill(from_keyboard ? -program->process : program->process, number);
}

void resize_terminal(std::uint32_t id, std::uint16_t rows, std::uint16_t columns) {
  auto* program = id == 0 ? nullptr : find_program(id);
  if (program == nullptr || program->terminal < 0) return;
  winsize size{rows, columns, 0, 0};
  ::ioctl(program->terminal, TIOCSWINSZ, &size);
}

Ended forget_program(pid_t process) {
  for (auto& program : programs) {
    if (program.id == 0 || program.process != process) continue;
    if (program.terminal >= 0) ::close(program.terminal);
    return {std::exchange(program.id, 0U), program.ends_jar};
  }
  return {};
}

}  // namespace belljar::init
