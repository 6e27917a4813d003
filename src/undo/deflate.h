// deflate and inflate: zlib streams in one call (libdeflate is confined to deflate.cc).
#pragma once

#include <cstddef>
#include <memory>

#include "base/bytes.h"
#include "base/result.h"

namespace belljar::undo {

/// Appends a zlib stream of `content` to `out`. What does not get smaller is stored as it is, quickly.
class Compressor {
 public:
  Compressor();
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) = delete;
  void append(BytesView content, Bytes& out);

 private:
  struct Levels;
  std::unique_ptr<Levels> levels_;
};

/// Takes the zlib stream at the front of `packed`, which must yield exactly `size` bytes; `malformed`
/// otherwise. No more than that is ever allocated.
Result<Bytes> inflate(BytesView packed, std::size_t size);

std::uint32_t checksum(BytesView bytes);  ///< CRC-32

}  // namespace belljar::undo
