// Summons: how belljard (src/daemon) is found, and started where it does not run. Here because keepers do
// that, too; what is said to it is the daemon's business (daemon/protocol.h).
//
//     state/daemon/belljard.sock     where it listens
//                  lock              held (fcntl) by the one that runs, from before its start
//                  registry.sqlite   what it has noted
#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace belljar::keeper {

struct DaemonPlace {
  explicit DaemonPlace(const std::string& state_directory) : directory(state_directory + "/daemon") {}
  std::string directory;
  [[nodiscard]] std::string lock() const { return directory + "/lock"; }
  static constexpr const char* kSocket = "belljard.sock";
};

/// The lock of the one daemon, or nothing when somebody has it. Makes the directory. What has a copy of the
/// descriptor holds it too: so it is handed to the daemon by who starts it.
Result<os::Fd> try_daemon_lock(const DaemonPlace& place);

/// Whether a daemon runs or is just starting.
bool is_daemon_there(const DaemonPlace& place);

/// A connection to the daemon. not_found when none listens; timed_out when it accepts nobody.
Result<os::Fd> connect_to_daemon(const DaemonPlace& place);

/// Starts it unless it is there; does not wait until it listens. It outlives the caller.
Result<void> start_daemon(const DaemonPlace& place, const std::string& libexec_directory);

/// Connects; where none listens, starts one, and waits until it listens, at most `milliseconds`.
Result<os::Fd> summon_daemon(const DaemonPlace& place, const std::string& libexec_directory,
                             int milliseconds);

}  // namespace belljar::keeper
