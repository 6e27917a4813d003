// Pid: owns a child process through its pidfd, so that a signal can never reach a stranger that got the
// number.
#pragma once

#include <optional>

#include <sys/types.h>

#include "base/result.h"
#include "os/fd.h"

namespace belljar::os {

/// How a process ended.
struct Exit {
  int code = 0;    ///< Exit code; 0 when a signal ended it.
  int signal = 0;  ///< The signal that ended it, or 0.

  /// As shells report it: the code, or 128 + signal.
  [[nodiscard]] int shell_code() const { return signal != 0 ? 128 + signal : code; }
};

class [[nodiscard]] Pid {
 public:
  Pid() = default;
  Pid(pid_t number, Fd pidfd) : number_(number), pidfd_(std::move(pidfd)) {}
  /// Kills and reaps what still runs.
  ~Pid();
  Pid(Pid&& other) noexcept;
  Pid& operator=(Pid&& other) noexcept;
  Pid(const Pid&) = delete;
  Pid& operator=(const Pid&) = delete;

  [[nodiscard]] pid_t number() const { return number_; }
  /// Becomes readable when the process has ended.
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }
  [[nodiscard]] bool valid() const { return pidfd_.valid(); }

  Result<void> signal(int number) const;
  /// Blocks until it has ended and reaps it; this Pid is empty afterwards.
  Result<Exit> wait();
  /// The exit when it has ended already, reaped; nothing while it runs.
  Result<std::optional<Exit>> poll();
  /// Lets it run on without an owner.
  void abandon() {
    pidfd_.reset();
    number_ = -1;
  }

 private:
  void end() noexcept;
  pid_t number_ = -1;
  Fd pidfd_;
};

}  // namespace belljar::os
