// Watched: what the registrar knows of one running jar, by its connection to the jar's keeper.
#pragma once

#include <optional>
#include <string>

#include "io/fd_stream.h"
#include "keeper/protocol.h"
#include "rt/clock.h"

namespace belljar::daemon {

class Watched {
 public:
  /// Says that it watches, and asks for figures. `socket` is connected to the keeper.
  Result<void> begin(os::Fd socket);
  /// Reads what the keeper says next; false when it has ended. An error where it isn't understood.
  Result<bool> hear();
  /// Asks for figures, unless it is still owed some.
  void ask();

  [[nodiscard]] bool is_connected() const { return connected_; }
  /// It was asked less than `patience` ago.
  [[nodiscard]] bool is_awaited(rt::Duration patience) const;
  /// As pushed; "not answering" when it has been silent for long.
  [[nodiscard]] std::string state() const;
  [[nodiscard]] const std::optional<keeper::answer::StatusReport>& figures() const { return figures_; }

 private:
  io::MessageSocket socket_;
  bool connected_ = false;
  std::string state_ = "running";
  std::optional<keeper::answer::StatusReport> figures_;
  std::optional<rt::Instant> asked_;  ///< the question that is not answered yet
};

}  // namespace belljar::daemon
