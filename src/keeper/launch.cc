#include "keeper/launch.h"

#include <cerrno>
#include <cstdlib>

#include <poll.h>
#include <sys/socket.h>

#include "os/passing.h"

namespace belljar::keeper {

namespace {

/// What the keeper needs of the environment: whose homes no workspace may hold, and which authorities the
/// host trusts.
constexpr const char* kVariables[] = {
    "HOME", "SSL_CERT_FILE", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "BELLJAR_DAEMON_IDLE"};
/// A keeper that has not ended by then is killed, which ends its jar as well; milliseconds.
constexpr int kLongestEnd = 20'000;

}  // namespace

Result<LaunchedKeeper> LaunchedKeeper::launch(const std::string& libexec_directory) {
  std::vector<std::string> environment;
  for (const char* name : kVariables)
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  auto control = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  return LaunchedKeeper(
      TRY(start_worker(libexec_directory, "keeper", std::move(control), std::move(environment), true)));
}

LaunchedKeeper::~LaunchedKeeper() {
  if (!process_.process.valid()) return;
  process_.control.reset();
  pollfd ended{process_.process.pidfd(), POLLIN, 0};
  while (::poll(&ended, 1, kLongestEnd) < 0 && errno == EINTR)
    continue;
}

Result<void> LaunchedKeeper::start(const Plan& plan, JarLock& lock, Relay& relay) {
  auto text = TRY(os::create_sealed_file("plan", encode(plan)));
  std::vector<int> fds = {text.get(), lock.file()};
  for (int end : relay.jar_ends())
    fds.push_back(end);
  auto sent = os::send_message(process_.control.get(), encode(request::StartJar{relay.streams()}), fds);
  if (!sent) return std::move(sent).error().context("starting the jar's keeper");
  lock.hand_over();
  relay.forget_jar_ends();
  return {};
}

Result<os::Fd> LaunchedKeeper::proceed() {
  auto sent = os::send_message(process_.control.get(), encode(request::Proceed{}));
  // A keeper that has ended has said why, or its last words do.
  if (!sent && sent.error().system_errno() != EPIPE) return std::move(sent).error();
  process_.process.abandon();
  return std::move(process_.control);
}

}  // namespace belljar::keeper
