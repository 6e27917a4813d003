#include "keeper/launch.h"

#include <cerrno>
#include <cstdlib>

#include <sys/socket.h>

#include "os/passing.h"

namespace belljar::keeper {

namespace {

/// What the keeper needs of the environment: whose homes no workspace may hold, and which authorities the
/// host trusts.
constexpr const char* kVariables[] = {
    "HOME", "SSL_CERT_FILE", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "BELLJAR_DAEMON_IDLE"};

}  // namespace

Result<LaunchedKeeper> LaunchedKeeper::launch(const std::string& libexec_directory) {
  std::vector<std::string> environment;
  for (const char* name : kVariables)
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  auto control = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  return LaunchedKeeper(
      TRY(start_worker(libexec_directory, "keeper", std::move(control), std::move(environment), true)));
}

Result<os::Fd> LaunchedKeeper::start(const Plan& plan, JarLock& lock, Relay& relay) {
  auto text = TRY(os::create_sealed_file("plan", encode(plan)));
  std::vector<int> fds = {text.get(), lock.file()};
  for (int end : relay.jar_ends())
    fds.push_back(end);
  auto sent = os::send_message(process_.control.get(), encode(request::StartJar{relay.streams()}), fds);
  if (!sent) return std::move(sent).error().context("starting the jar's keeper");
  process_.process.abandon();
  lock.hand_over();
  relay.forget_jar_ends();
  return std::move(process_.control);
}

Result<void> LaunchedKeeper::proceed(const os::Fd& keeper) {
  auto sent = os::send_message(keeper.get(), encode(request::Proceed{}));
  // A keeper that has ended has said why, or its last words do.
  if (!sent && sent.error().system_errno() == EPIPE) return {};
  return sent;
}

}  // namespace belljar::keeper
