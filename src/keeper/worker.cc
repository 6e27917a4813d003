#include "keeper/worker.h"

#include <cerrno>
#include <cstdlib>

#include <limits.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/spawn.h"

namespace belljar::keeper {

Result<Worker> start_worker(const std::string& libexec_directory, const std::string& name) {
  auto pair = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  os::SpawnPlan plan{
      .program = libexec_directory + "/belljar-" + name,
      .arguments = {"belljar-" + name},
      .fds = {-1, -1, STDERR_FILENO, pair.second.get()},
      .new_session = true,  // Ctrl-C on the terminal is for the program in the jar, not for its gateway
  };
  // The ledger ends by itself with its control socket, once it has written what it holds.
  plan.die_with_parent = name != "ledger";
  if (const char* level = std::getenv("BELLJAR_LOG"))
    plan.environment.push_back(std::string("BELLJAR_LOG=") + level);
  auto process = TRY(os::spawn(plan).context("starting the " + name).hint("belljar doctor"));
  return Worker{.name = name, .process = std::move(process), .control = std::move(pair.first)};
}

Result<std::string> find_libexec_directory() {
  char path[PATH_MAX];
  auto length = ::readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return Error::from_errno(errno, "read /proc/self/exe");
  std::string directory(path, static_cast<std::size_t>(length));
  directory.resize(directory.rfind('/'));
  auto installed = directory.substr(0, directory.rfind('/')) + "/libexec/belljar";
  for (const auto& candidate : {installed, directory})
    if (::access((candidate + "/belljar-init").c_str(), X_OK) == 0) return candidate;
  return Error(ErrorCode::not_found,
               "belljar's own programs (belljar-init …) are neither in " + installed + " nor in " + directory)
      .with_hint("./setup");
}

}  // namespace belljar::keeper
