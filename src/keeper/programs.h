// The programs that belljar started in a running jar, and their ends: the keeper's conversation with init.
// init lives among the jar's programs, and they can hold it up (by a change of mode on a slow file that it
// makes for them): only the fiber that waits for an answer waits.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

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
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

  struct Started {
    std::shared_ptr<Program> program;
    os::Fd terminal;  ///< master side, when one was asked for
  };
  /// One that is started after nobody waits for it any more (a deadline, a command that is gone) is killed.
  Result<Started> start(const jar::ExecRequest& request);
  /// A connection to a port of the jar's loopback, IPv4 or else IPv6. Errors as of jar::RunningJar::Answered.
  Result<os::Fd> connect(std::uint16_t port);
  /// Passes a signal on, as soon as init listens; nothing when it has ended.
  void signal(const Program& program, int number);
  void resize(const Program& program, jar::TerminalSize size);
  /// Counts a program as ended that may still run.
  void give_up(Program& program, int code);
  [[nodiscard]] std::size_t running() const { return running_.size(); }

  /// Hears init; returns when the jar is gone, and with it all programs.
  Result<void> watch();
  /// Says what init had no room for; to be cancelled.
  Result<void> carry_unsaid();
  /// Whoever waits for a program's start waits no longer: the jar is to end.
  void refuse_starts();
  /// The jar is gone.
  void end_all();

 private:
  struct Awaited {
    rt::Event come;
    Result<os::Fd> answer = os::Fd();
    std::shared_ptr<Program> program;  ///< null: a connection
  };
  struct Unsaid {
    std::uint32_t program = 0;
    int signal = 0;  ///< 0: a new size
    jar::TerminalSize size;
  };
  Result<os::Fd> await(std::uint32_t id, const std::shared_ptr<Awaited>& awaited);
  Result<os::Fd> connect_once(std::uint16_t port, std::uint32_t version);
  void take(jar::RunningJar::Answered answered);
  void say(const Unsaid& what);
  Result<void> try_to_say(const Unsaid& what);

  jar::RunningJar& jar_;
  std::map<std::uint32_t, std::shared_ptr<Program>> running_;
  std::map<std::uint32_t, std::shared_ptr<Awaited>> awaited_;
  std::set<std::uint32_t> forsaken_;  ///< nobody waits for the start of these any more
  std::vector<Unsaid> unsaid_;        ///< of each program at most one size and one of each signal
  rt::WaitList something_unsaid_;
};

/// What is told of a program that could not be started, and the exit code for it; belljar's own failures stay
/// errors.
struct NotStarted {
  int code = 0;
  std::string why;
};
Result<NotStarted> explain_not_started(const Error& error, const jar::ExecRequest& request);

}  // namespace belljar::keeper
