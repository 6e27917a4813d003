// Reader, Writer, Stream: where bytes come from and go to, whatever carries them (a socket, TLS, memory).
//
// One fiber reads and one writes at a time. A read or write past its deadline fails with timed_out and leaves
// the stream usable only for closing it.
#pragma once

#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "rt/deadline.h"

namespace belljar::io {

class Reader {
 public:
  virtual ~Reader() = default;
  /// Reads at least one byte into `buffer` (not empty); 0 is the end of the stream, again and again.
  virtual Result<std::size_t> read_some(std::span<std::uint8_t> buffer) = 0;
  /// For all reads from now on.
  virtual void set_read_deadline(rt::Deadline) {}
};

class Writer {
 public:
  virtual ~Writer() = default;
  /// Returns once all bytes are accepted (buffered or sent); `closed` when the peer is gone.
  virtual Result<void> write(BytesView bytes) = 0;
  /// Sends what is buffered.
  virtual Result<void> flush() { return {}; }
  /// Ends this direction: the peer reads the end. What is buffered goes first.
  virtual Result<void> close_write() = 0;
  virtual void set_write_deadline(rt::Deadline) {}
};

class Stream : public Reader, public Writer {
 public:
  void set_deadline(rt::Deadline deadline) {
    set_read_deadline(deadline);
    set_write_deadline(deadline);
  }
  /// Whether the peer has neither sent more nor closed, as far as the system knows: what a kept connection
  /// must be before it is used again. Where it can't be told: true.
  [[nodiscard]] virtual bool is_quiet() const { return true; }
};

inline Result<void> write_text(Writer& writer, std::string_view text) { return writer.write(as_bytes(text)); }

}  // namespace belljar::io
