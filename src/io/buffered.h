// BufferedReader: looks ahead in a Reader without consuming; what parsers read from.
#pragma once

#include "io/stream.h"

namespace belljar::io {

class BufferedReader final : public Reader {
 public:
  /// `source` is borrowed. `limit` bounds what is buffered, in bytes.
  explicit BufferedReader(Reader& source, std::size_t limit = 64U << 10) : source_(source), limit_(limit) {}

  Result<std::size_t> read_some(std::span<std::uint8_t> buffer) override;
  void set_read_deadline(rt::Deadline deadline) override { source_.set_read_deadline(deadline); }

  /// What is buffered now; may be empty. Valid until the next call that is not const.
  [[nodiscard]] BytesView buffered() const { return BytesView(buffer_).subspan(start_); }
  /// Reads more from the source into the buffer; 0 at the end of the stream. limit_exceeded when full.
  Result<std::size_t> fill();
  /// The first `count` bytes, fewer only at the end of the stream; limit_exceeded when they can't be
  /// buffered.
  Result<BytesView> peek(std::size_t count);
  /// Drops the first `count` buffered bytes.
  void consume(std::size_t count);
  /// Exactly `count` bytes; `closed` when the stream ends before.
  Result<Bytes> read_exactly(std::size_t count);

 private:
  Reader& source_;
  std::size_t limit_;
  Bytes buffer_;
  std::size_t start_ = 0;
};

}  // namespace belljar::io
