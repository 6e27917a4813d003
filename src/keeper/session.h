// Session: a command of the CLI while it is connected to the keeper of a jar. Carries the standard streams
// and the terminal, passes signals on, and ends with the program, or detached from it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/fd_stream.h"
#include "keeper/detach_key.h"
#include "keeper/protocol.h"
#include "keeper/relay.h"
#include "rt/channel.h"
#include "rt/nursery.h"
#include "rt/signals.h"

namespace belljar::keeper {

struct SessionEnd {
  int exit_code = 0;
  bool detached = false;          ///< the program goes on
  std::string why;                ///< why it was detached, when not by the user
  std::vector<std::string> told;  ///< why it ended, while the terminal was the program's
  std::vector<answer::LeftBehind> traps;
  std::size_t all_traps = 0;  ///< not all are in `traps`
};

enum class SessionKind {
  starts_jar,  ///< signals are for the program
  runs_more,   ///< a further program: the same; what it leaves running holds nobody up
  watches,     ///< attached: signals are for this command
};

class Session {
 public:
  struct Options {
    SessionKind kind = SessionKind::starts_jar;
    bool may_detach = false;  ///< Ctrl-\ d, and the end of the terminal, leave the program alone
    bool types = true;
    bool leaves_when_started = false;
    std::function<Result<void>()> when_started;  ///< what must be done but needn't delay it
    std::function<void()> when_nothing_has_run;  ///< the start failed before, by the keeper's word
  };
  /// `socket` is connected to the keeper, and its first request is sent. Must be made in a fiber.
  Session(io::MessageSocket socket, Relay relay, Options options);
  ~Session();

  /// Until the end. The Error is belljar's own failure, not the program's.
  Result<SessionEnd> run();

 private:
  Result<void> hear();
  Result<void> take(Answer answer);
  Result<void> begin();
  Result<void> read_keys();
  Result<void> watch_signals();
  Result<void> handle_signal(int number);
  Result<void> take_output(const answer::Output& output);
  void detach();
  void give_terminal_back();
  void send(const Request& request);
  void finish(Result<void> result);

  io::MessageSocket socket_;
  Relay relay_;
  Options options_;
  std::optional<RawTerminal> raw_;
  DetachKey detach_key_;
  SessionEnd end_;
  Result<void> failed_;
  bool program_ended_ = false;
  bool showed_ = false;  ///< something of the jar's stands on the terminal
  int interrupted_ = 0;  ///< the signal that ended the wait for output
  rt::Event done_;
  rt::Nursery output_;
  rt::Nursery input_;
  rt::Nursery background_;
};

/// Makes a Session in a loop of its own and runs it. Must be called outside a fiber.
Result<SessionEnd> run_session(os::Fd socket, Relay relay, Session::Options options);

}  // namespace belljar::keeper
