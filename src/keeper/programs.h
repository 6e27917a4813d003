// The programs that belljar started in a running jar, and their ends.
#pragma once

#include <map>
#include <memory>

#include "base/result.h"
#include "jar/jar_spec.h"
#include "rt/channel.h"

namespace belljar::keeper {

inline constexpr int kCannotExecute = 126;
inline constexpr int kNotFound = 127;

struct Program {
  std::uint32_t id = 0;
  rt::Event ended;
  int code = 0;  ///< once it ended, as shells report it
};

class Programs {
 public:
  /// `jar` is borrowed.
  explicit Programs(jar::RunningJar& jar) : jar_(jar) {}

  struct Started {
    std::shared_ptr<Program> program;
    os::Fd terminal;  ///< master side, when one was asked for
  };
  Result<Started> start(const jar::ExecRequest& request);
  /// Passes a signal on; nothing when it has ended.
  void signal(const Program& program, int number);
  void resize(const Program& program, jar::TerminalSize size);
  /// Counts a program as ended that may still run.
  void give_up(Program& program, int code);
  [[nodiscard]] std::size_t running() const { return running_.size(); }

  /// Notices ends; returns when the jar is gone, and with it all programs.
  Result<void> watch();
  /// The jar is gone.
  void end_all();

 private:
  jar::RunningJar& jar_;
  std::map<std::uint32_t, std::shared_ptr<Program>> running_;
};

/// What is told of a program that could not be started, and the exit code for it; belljar's own failures stay
/// errors.
struct NotStarted {
  int code = 0;
  std::string why;
};
Result<NotStarted> explain_not_started(const Error& error, const jar::ExecRequest& request);

}  // namespace belljar::keeper
