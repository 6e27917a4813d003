// The standard streams and the terminal that belljar itself was started with.
//
// They are shared with whoever started belljar, so they are never made non-blocking: a wait for readiness
// comes before each small read or write instead.
#pragma once

#include <optional>

#include <termios.h>

#include "io/stream.h"
#include "jar/jar_spec.h"

namespace belljar::keeper {

/// A borrowed descriptor of the host as a stream. close_write() closes nothing.
class HostStream final : public io::Stream {
 public:
  explicit HostStream(int fd) : fd_(fd) {}
  Result<std::size_t> read_some(std::span<std::uint8_t> buffer) override;
  Result<void> write(BytesView bytes) override;
  Result<void> close_write() override { return {}; }

 private:
  int fd_;
};

/// Puts a terminal into raw mode and back again.
class RawTerminal {
 public:
  static Result<RawTerminal> enter(int fd);
  ~RawTerminal();
  RawTerminal(RawTerminal&& other) noexcept;
  RawTerminal& operator=(RawTerminal&&) = delete;

 private:
  RawTerminal(int fd, const termios& before) : fd_(fd), before_(before) {}
  int fd_;
  termios before_;
};

/// The size of a terminal; 24 × 80 when it doesn't say.
jar::TerminalSize size_of_terminal(int fd);

}  // namespace belljar::keeper
