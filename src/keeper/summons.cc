#include "keeper/summons.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

#include "os/fork.h"
#include "os/named_socket.h"
#include "os/spawn.h"

namespace belljar::keeper {

namespace {

/// What it needs to know of its environment: where the user's files are, and for developers and tests how it
/// behaves.
constexpr const char* kVariables[] = {"HOME",           "XDG_STATE_HOME", "XDG_CONFIG_HOME",
                                      "XDG_CACHE_HOME", "BELLJAR_LOG",    "BELLJAR_DAEMON_IDLE"};

struct flock whole_file() {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return range;
}

std::vector<std::string> daemon_environment() {
  std::vector<std::string> environment;
  for (const char* name : kVariables)
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  return environment;
}

}  // namespace

Result<os::Fd> try_daemon_lock(const DaemonPlace& place) {
  TRY(os::create_directories(place.directory));
  auto lock = TRY(os::open_file(place.lock(), O_RDWR | O_CREAT | O_NOFOLLOW));
  auto range = whole_file();
  if (::fcntl(lock.get(), F_OFD_SETLK, &range) == 0) return lock;
  if (errno == EAGAIN || errno == EACCES) return os::Fd();
  return Error::from_errno(errno, "lock " + place.lock());
}

bool is_daemon_there(const DaemonPlace& place) {
  auto lock = os::open_file(place.lock(), O_RDONLY | O_NOFOLLOW);
  auto range = whole_file();
  return lock && ::fcntl(lock->get(), F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

Result<os::Fd> connect_to_daemon(const DaemonPlace& place) {
  if (::access(place.directory.c_str(), F_OK) < 0)
    return Error(ErrorCode::not_found, "belljard has not run yet");
  return os::connect_to(place.directory, DaemonPlace::kSocket, false);
}

Result<void> start_daemon(const DaemonPlace& place, const std::string& libexec_directory) {
  auto lock = TRY(try_daemon_lock(place));
  if (!lock) return {};
  const char* level = std::getenv("BELLJAR_LOG");
  os::SpawnPlan plan{.program = libexec_directory + "/belljard",
                     .arguments = {"belljard", "--lock", "3"},
                     .environment = daemon_environment(),
                     .fds = {-1, -1, level != nullptr ? STDERR_FILENO : -1, lock.get()},
                     .die_with_parent = false,
                     .new_session = true};
  // From a process in between, so that it is nobody's child, and its end nobody's to wait for.
  auto between = TRY(os::fork_process(os::Lifetime::own, [&plan] {
    auto process = os::spawn(plan);
    if (process) process->abandon();
    return process ? 0 : process.error().system_errno();
  }));
  int failed = TRY(between.wait()).shell_code();
  if (failed == 0) return {};
  return Error::from_errno(failed, "start " + plan.program).with_hint("belljar doctor");
}

Result<os::Fd> summon_daemon(const DaemonPlace& place, const std::string& libexec_directory,
                             int milliseconds) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (true) {
    auto connected = connect_to_daemon(place);
    if (connected || connected.error().code() != ErrorCode::not_found) return connected;
    if (std::chrono::steady_clock::now() >= deadline)
      return Error(ErrorCode::timed_out, "belljard does not listen").with_hint("belljar doctor");
    TRY(start_daemon(place, libexec_directory));
    ::usleep(1000);
  }
}

}  // namespace belljar::keeper
