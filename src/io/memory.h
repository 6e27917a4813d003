// In-memory streams: the same code that serves sockets runs on these in tests and fuzzers, without a loop.
#pragma once

#include <memory>
#include <utility>

#include "io/stream.h"

namespace belljar::io {

/// Reads from a fixed text, at most `chunk` bytes a call; writes are collected. Never suspends.
class MemoryStream final : public Stream {
 public:
  explicit MemoryStream(Bytes input = {}, std::size_t chunk = SIZE_MAX)
      : input_(std::move(input)), chunk_(chunk) {}

  Result<std::size_t> read_some(std::span<std::uint8_t> buffer) override;
  Result<void> write(BytesView bytes) override;
  Result<void> close_write() override;

  [[nodiscard]] const Bytes& written() const { return written_; }
  [[nodiscard]] bool write_closed() const { return write_closed_; }

 private:
  Bytes input_;
  std::size_t chunk_;
  std::size_t position_ = 0;
  Bytes written_;
  bool write_closed_ = false;
};

/// Two connected streams between fibers, each direction buffering at most `capacity` bytes.
std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>> create_memory_pipe(std::size_t capacity = 64U
                                                                                                      << 10);

}  // namespace belljar::io
