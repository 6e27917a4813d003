#include "keeper/worker.h"

#include <cerrno>
#include <cstdlib>
#include <utility>

#include <limits.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/spawn.h"

namespace belljar::keeper {

namespace {

constexpr const char* kPrograms[] = {"belljar-keeper", "belljar-init", "belljar-ledger",
                                     "belljar-proxy",  "belljar-scan", "belljar-egress"};

/// The first of our programs that can't be executed there; empty when all can.
std::string missing_in(const std::string& directory) {
  for (const char* program : kPrograms)
    if (::access((directory + "/" + program).c_str(), X_OK) < 0) return program;
  return "";
}

}  // namespace

Result<Worker> start_worker(const std::string& libexec_directory, const std::string& name) {
  auto control = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  return start_worker(libexec_directory, name, std::move(control));
}

Result<Worker> start_worker(const std::string& libexec_directory, const std::string& name,
                            os::FdPair control) {
  // The ledger ends by itself with its control socket, once it has written what it holds.
  return start_worker(libexec_directory, name, std::move(control), {}, name == "ledger");
}

Result<Worker> start_worker(const std::string& libexec_directory, const std::string& name, os::FdPair control,
                            std::vector<std::string> environment, bool outlives_us) {
  const char* level = std::getenv("BELLJAR_LOG");
  os::FdPair errors;
  if (level == nullptr) {
    errors = TRY(os::create_pipe());
    TRY(os::set_nonblocking(errors.first.get()));
  }
  os::SpawnPlan plan{
      .program = libexec_directory + "/belljar-" + name,
      .arguments = {"belljar-" + name},
      .environment = std::move(environment),
      .fds = {-1, -1, level == nullptr ? errors.second.get() : STDERR_FILENO, control.second.get()},
      .new_session = true,     // Ctrl-C on the terminal is for the program in the jar, not for its gateway
      .await_program = false,  // find_libexec_directory has looked; a start needn't wait for the loading
  };
  plan.die_with_parent = !outlives_us;
  if (level != nullptr) plan.environment.push_back(std::string("BELLJAR_LOG=") + level);
  auto process = TRY(os::spawn(plan).context("starting the " + name).hint("belljar doctor"));
  return Worker{.name = name,
                .process = std::move(process),
                .control = std::move(control.first),
                .errors = std::move(errors.first)};
}

std::string last_words(const Worker& worker) {
  char text[2048];
  auto count = worker.errors ? ::read(worker.errors.get(), text, sizeof text) : 0;
  std::string words(text, count > 0 ? static_cast<std::size_t>(count) : 0);
  return words.substr(0, words.find('\n'));
}

Result<std::string> own_program() {
  char path[PATH_MAX];
  auto length = ::readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return Error::from_errno(errno, "read /proc/self/exe");
  return std::string(path, static_cast<std::size_t>(length));
}

Result<std::string> find_libexec_directory() {
  auto directory = TRY(own_program());
  directory.resize(directory.rfind('/'));
  auto installed = directory.substr(0, directory.rfind('/')) + "/libexec/belljar";
  for (const auto& candidate : {installed, directory})
    if (missing_in(candidate).empty()) return candidate;
  auto place = ::access(installed.c_str(), F_OK) == 0 ? installed : directory;
  return Error(ErrorCode::not_found, "belljar's own program " + missing_in(place) + " is not in " + place)
      .with_hint("./setup");
}

}  // namespace belljar::keeper
