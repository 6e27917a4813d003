// Relay: carries the standard streams of one program between the host and the jar.
//
// The jar never holds a descriptor of the host: a terminal would let it type into the user's shell (TIOCSTI),
// a file could be opened again for more than it was meant for. It gets the ends of pipes made here, and where
// the user has a terminal one of its own, which its keeper holds.
#pragma once

#include "jar/jar_spec.h"
#include "keeper/host_streams.h"
#include "keeper/protocol.h"
#include "os/fd.h"
#include "rt/nursery.h"

namespace belljar::keeper {

class Relay {
 public:
  /// Looks at 0, 1, 2 of this process and makes the pipes that are needed.
  static Result<Relay> create();
  /// Carries nothing: the program has a terminal that this process doesn't show.
  static Relay elsewhere(jar::TerminalSize size);

  /// What the program gets, and the jar's ends of the pipes, in order; to be forgotten once they are sent.
  [[nodiscard]] Streams streams() const;
  [[nodiscard]] std::vector<int> jar_ends() const;
  void forget_jar_ends();

  [[nodiscard]] bool has_terminal() const { return terminal_ >= 0; }
  /// All three streams are the terminal: nothing of the program's depends on this process.
  [[nodiscard]] bool is_terminal_only() const;
  /// The host's descriptor to paint on.
  [[nodiscard]] int terminal() const { return terminal_; }
  [[nodiscard]] jar::TerminalSize terminal_size() const { return size_of_terminal(terminal_); }

  /// Starts to carry the pipes, in two nurseries: input ends when the program has ended, output when the last
  /// byte is out.
  Result<void> start(rt::Nursery& input, rt::Nursery& output);

 private:
  Relay() = default;

  int terminal_ = -1;  ///< borrowed
  std::optional<jar::TerminalSize> elsewhere_;
  os::Fd host_side_[3];  ///< our ends of the pipes
  os::Fd jar_side_[3];   ///< the jar's ends
};

}  // namespace belljar::keeper
