// Bodies of HTTP/1.1 messages as streams. RFC 9112 sections 6 and 7.
#pragma once

#include "http/message.h"
#include "http/reader.h"
#include "io/buffered.h"

namespace belljar::http {

/// Reads one body and leaves the reader at the next message. Chunk extensions are dropped. Errors:
/// `malformed` (chunk framing, trailers), `closed` when the connection ends before the body does, and those
/// of the source. After an error the connection is of no further use.
class BodyReader final : public io::Reader {
 public:
  /// `reader` is borrowed.
  BodyReader(io::BufferedReader& reader, Framing framing, const Limits& limits = {});

  Result<std::size_t> read_some(std::span<std::uint8_t> buffer) override;
  void set_read_deadline(rt::Deadline deadline) override { reader_.set_read_deadline(deadline); }

  /// Whether the end was read (then the connection may carry the next message, but for until_close).
  [[nodiscard]] bool ended() const { return ended_; }
  /// Of a chunked body, once ended; without fields that must not be trailers (framing, routing,
  /// authentication).
  [[nodiscard]] const Headers& trailers() const { return trailers_; }

 private:
  Result<std::size_t> read_plain(std::span<std::uint8_t> buffer, std::uint64_t most);
  Result<void> read_chunk_line();
  Result<void> expect_line_end();
  Result<void> read_trailers();

  io::BufferedReader& reader_;
  Framing framing_;
  Limits limits_;
  std::uint64_t left_ = 0;  // of the body, or of the current chunk
  bool ended_ = false;
  bool in_chunk_ = false;
  Headers trailers_;
};

/// Writes one body. Each write() goes out as one chunk and is flushed, so that a stream of events is never
/// delayed. close_write() ends the body, not the connection; `internal` when fewer bytes than the announced
/// length came. With BodyKind::none nothing may be written.
class BodyWriter final : public io::Writer {
 public:
  /// `writer` is borrowed.
  BodyWriter(io::Writer& writer, Framing framing);

  Result<void> write(BytesView bytes) override;
  Result<void> flush() override { return writer_.flush(); }
  Result<void> close_write() override { return finish({}); }
  /// Ends the body; trailers are written for chunked bodies only.
  Result<void> finish(const Headers& trailers);
  void set_write_deadline(rt::Deadline deadline) override { writer_.set_write_deadline(deadline); }

 private:
  io::Writer& writer_;
  Framing framing_;
  std::uint64_t left_ = 0;
  bool finished_ = false;
};

}  // namespace belljar::http
