// Relay: carries the standard streams of one program between the host and the jar.
//
// The jar never holds a descriptor of the host: a terminal would let it type into the user's shell (TIOCSTI),
// a file could be opened again for more than it was meant for. It gets the ends of pipes made here, and where
// the user has a terminal one of its own.
#pragma once

#include "jar/jar_spec.h"
#include "keeper/host_streams.h"
#include "os/fd.h"
#include "rt/nursery.h"

namespace belljar::keeper {

class Relay {
 public:
  /// Looks at 0, 1, 2 of this process and makes the pipes that are needed.
  static Result<Relay> create();

  /// Fills `standard` and `terminal` of a request.
  void describe(jar::ExecRequest& request) const;
  [[nodiscard]] bool has_terminal() const { return terminal_ >= 0; }
  [[nodiscard]] jar::TerminalSize terminal_size() const { return size_of_terminal(terminal_); }

  /// Starts to carry, in two nurseries: input ends when the program has ended, output when the last byte is
  /// out.
  Result<void> start(os::Fd jar_terminal, rt::Nursery& input, rt::Nursery& output);

 private:
  Relay() = default;
  Result<void> start_terminal(os::Fd jar_terminal, rt::Nursery& input, rt::Nursery& output);

  int terminal_ = -1;    ///< the host's descriptor that is a terminal, borrowed
  os::Fd host_side_[3];  ///< our ends of the pipes
  os::Fd jar_side_[3];   ///< the jar's ends, closed once it has them
  std::optional<RawTerminal> raw_;
};

}  // namespace belljar::keeper
