#include "daemon/run.h"

#include <charconv>

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "daemon/broker.h"
#include "daemon/registrar.h"
#include "keeper/summons.h"
#include "keeper/worker.h"
#include "os/confine.h"
#include "os/fork.h"
#include "os/named_socket.h"
#include "os/passing.h"
#include "rt/loop.h"

namespace belljar::daemon {

namespace {

/// So that people and tests find it; what counts is the lock.
Result<void> note_process(int lock) {
  auto text = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock, 0) < 0 || ::pwrite(lock, text.data(), text.size(), 0) < 0)
    return Error::from_errno(errno, "note the process in belljard's lock");
  return {};
}

ino_t inode_of(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

/// A service manager listens now, at a socket that has taken the place of the one that runs: which ends.
Result<os::Fd> take_over(const keeper::DaemonPlace& place) {
  constexpr int kAttempts = 300;
  pid_t running = 0;
  auto text = os::read_file(place.lock(), 64).value_or("");
  std::from_chars(text.data(), text.data() + text.size(), running);
  os::Pid process(running, os::Fd(static_cast<int>(::syscall(SYS_pidfd_open, running, 0U))));
  auto name = os::read_file(fmt::format("/proc/{}/comm", running), 64).value_or("");
  if (process.valid() && name == "belljard\n") (void)process.signal(SIGTERM);
  process.abandon();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto lock = TRY(keeper::try_daemon_lock(place));
    if (lock) return lock;
    ::usleep(10'000);
  }
  return Error(ErrorCode::already_exists, "another belljard runs, and does not end");
}

Result<os::Fd> watch_changes(const std::string& directory) {
  os::Fd changes(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!changes) return Error::from_errno(errno, "watch for changes");
  constexpr unsigned kWanted =
      IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
  if (::inotify_add_watch(changes.get(), directory.c_str(), kWanted) < 0)
    return Error::from_errno(errno, "watch " + directory);
  return changes;
}

/// No network, nothing but the jars' records (to read) and the registry's directory by path.
Result<os::Confined> confine_registrar(const keeper::Directories& directories, const std::string& own_place) {
  auto jars = TRY(os::open_file(directories.jars(), O_PATH | O_DIRECTORY));
  auto own = TRY(os::open_file(own_place, O_PATH | O_DIRECTORY));
  os::Confinement confinement;
  confinement.paths = {{.fd = jars.get(), .writable = false}, {.fd = own.get(), .writable = true}};
  // For SQLite to see that the ledger is the one it has open, and for this to see that its program was
  // replaced.
  auto program = TRY(keeper::own_program());
  os::Fd shown[] = {os::open_file(directories.ledger(), O_PATH | O_DIRECTORY).value_or(os::Fd()),
                    TRY(os::open_file(program.substr(0, program.rfind('/')), O_PATH | O_DIRECTORY))};
  for (const auto& directory : shown)
    if (directory) confinement.shown.push_back(directory.get());
  return os::confine(confinement);
}

/// Opens all that it needs, then takes from this process the rest.
Result<Registrar::Parts> prepare_registrar(const DaemonOptions& options, os::Fd orders) {
  const auto jars_directory = options.directories.jars();
  keeper::DaemonPlace place(options.directories.state);
  std::vector<std::string> notes;
  auto counter = RequestCounter::open(options.directories.ledger());
  if (!counter) notes.push_back("requests can't be counted: " + counter.error().to_string());
  Registrar::Parts parts{.jars_directory = jars_directory,
                         .jars = TRY(keeper::Jars::open(jars_directory)),
                         .registry = TRY(Registry::open(place.directory)),
                         .counter = {},
                         .changes = TRY(watch_changes(jars_directory)),
                         .broker = TRY(io::MessageSocket::open(std::move(orders))),
                         .program = ProgramFile::own(),
                         .idle = options.idle,
                         .notes = std::move(notes)};
  if (counter) parts.counter.emplace(std::move(*counter));
  auto confined = TRY(confine_registrar(options.directories, place.directory));
  if (confined.landlock_abi == 0 && !confined.bare_root)
    parts.notes.emplace_back(
        "this kernel has no Landlock and lets belljard have no namespaces of its own: its registrar can read "
        "what the user can");
  return parts;
}

int be_registrar(const DaemonOptions& options, os::Fd orders) {
  ::prctl(PR_SET_NAME, "belljard-record");
  auto run = [&]() -> Result<void> {
    rt::Loop loop;
    auto parts = TRY(prepare_registrar(options, std::move(orders)));
    return loop.run([&parts]() -> Result<void> {
      Registrar registrar(std::move(parts));
      return registrar.run();
    });
  };
  auto ended = run();
  if (!ended) log::warning("{}", ended.error().to_string());
  return ended ? 0 : 1;
}

}  // namespace

Result<void> run_daemon(DaemonOptions options) {
  keeper::DaemonPlace place(options.directories.state);
  TRY(os::create_directories(place.directory));
  TRY(os::create_directories(options.directories.jars()));
  if (!options.lock) options.lock = TRY(keeper::try_daemon_lock(place));
  if (!options.lock && options.listener) options.lock = TRY(take_over(place));
  if (!options.lock) return {};
  TRY(note_process(options.lock.get()));
  const auto name = place.directory + "/" + keeper::DaemonPlace::kSocket;
  ino_t own_name = 0;
  if (!options.listener) {
    options.listener = TRY(os::listen_at(place.directory, keeper::DaemonPlace::kSocket));
    own_name = inode_of(name);
  }
  auto pair = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  auto registrar = TRY(os::fork_process(os::Lifetime::parents, [&]() -> int {
    // Whoever connects must find nobody once the broker is gone.
    options.listener.reset();
    pair.first.reset();
    return be_registrar(options, std::move(pair.second));
  }));
  pair.second.reset();
  rt::Loop loop;
  auto ended = loop.run([&]() -> Result<void> {
    Broker broker({.listener = std::move(options.listener),
                   .registrar = std::move(registrar),
                   .orders = TRY(io::MessageSocket::open(std::move(pair.first))),
                   .jars_directory = options.directories.jars(),
                   .config_file = options.directories.config + "/config.toml"});
    return broker.run();
  });
  // One that a service manager has put there meanwhile stays.
  if (own_name != 0 && inode_of(name) == own_name) ::unlink(name.c_str());
  return ended;
}

}  // namespace belljar::daemon
