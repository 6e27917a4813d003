// Broker: the half of belljard that can do things. It accepts who is of this user, connects to keepers, and
// keeps house; it reads nothing but the orders of the registrar, which reads what all others say and can do
// nothing. (What tells a jar's process from the user's own is in /proc, where a confined process can't look.)
#pragma once

#include <deque>
#include <string>

#include "base/result.h"
#include "daemon/order.h"
#include "io/fd_stream.h"
#include "os/pid.h"
#include "rt/channel.h"

namespace belljar::daemon {

class Broker {
 public:
  struct Parts {
    os::Fd listener;
    os::Pid registrar;  ///< the process
    io::MessageSocket orders;
    std::string jars_directory;
    std::string config_file;  ///< the user's; may be absent
  };
  explicit Broker(Parts parts) : parts_(std::move(parts)) {}

  /// Until the registrar ends, or this process is told to (SIGTERM, SIGINT).
  Result<void> run();

 private:
  Result<void> accept_clients();
  Result<void> take_orders();
  Result<void> connect(const std::string& jar);
  Result<void> keep_house();
  Result<void> watch_signals();

  Parts parts_;
  std::deque<Order> jobs_;
  rt::WaitList more_jobs_;
};

}  // namespace belljar::daemon
