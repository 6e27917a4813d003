// belljard: knows all jars of this user at once. Started by who needs it, or by a service manager that
// listens for it; ends by itself.
//
//     belljard [--lock DESCRIPTOR] [--idle SECONDS]
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "daemon/run.h"

namespace belljar {
namespace {

Result<int> number_of(std::string_view text, std::string_view what) {
  int number = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size() && number >= 0) return number;
  return Error(ErrorCode::invalid_argument,
               std::string(what) + " takes a number, not '" + std::string(text) + "'");
}

/// sd_listen_fds(3): one socket, as descriptor 3, when it is for this process.
Result<os::Fd> listener_of_manager() {
  const char* process = std::getenv("LISTEN_PID");
  const char* count = std::getenv("LISTEN_FDS");
  if (process == nullptr || count == nullptr || TRY(number_of(process, "LISTEN_PID")) != ::getpid())
    return os::Fd();
  if (std::string_view(count) != "1")
    return Error(ErrorCode::invalid_argument, "one socket is wanted of the service manager");
  constexpr int kFirst = 3;
  os::Fd listener(kFirst);
  TRY(os::set_nonblocking(kFirst));
  return listener;
}

Result<daemon::DaemonOptions> read_options(int argc, char** argv) {
  daemon::DaemonOptions options;
  const char* idle = std::getenv("BELLJAR_DAEMON_IDLE");
  for (int n = 1; n < argc; n += 2) {
    std::string_view name = argv[n];
    if (n + 1 == argc || (name != "--lock" && name != "--idle"))
      return Error(ErrorCode::invalid_argument, "usage: belljard [--lock DESCRIPTOR] [--idle SECONDS]");
    if (name == "--idle")
      idle = argv[n + 1];
    else
      options.lock = os::Fd(TRY(number_of(argv[n + 1], name)));
  }
  if (idle != nullptr) options.idle = std::chrono::seconds(TRY(number_of(idle, "--idle")));
  if (!options.lock) options.listener = TRY(listener_of_manager());
  options.directories = TRY(keeper::find_directories());
  return options;
}

Result<void> run(int argc, char** argv) { return daemon::run_daemon(TRY(read_options(argc, argv))); }

}  // namespace
}  // namespace belljar

int main(int argc, char** argv) {
  using namespace belljar;
  ::signal(SIGPIPE, SIG_IGN);  // nobody need be left to read what it complains of
  ::umask(077);
  if (::chdir("/") < 0) return 1;
  log::start("belljard");
  auto ran = run(argc, argv);
  if (ran) return 0;
  auto line = "belljard: " + ran.error().to_string() + "\n";
  (void)os::write_all(STDERR_FILENO, as_bytes(line));
  return 1;
}
