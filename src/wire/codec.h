// The encoding of messages between belljar's own processes: fixed-width big-endian integers, texts and byte
// strings with a 32-bit length, lists with a 32-bit count. No types on the wire: both ends know the message.
//
// Decoding checks every length against what is left and against a bound, and takes no more than is there.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace belljar::wire {

inline constexpr std::size_t kMaxField = 16U << 20;
inline constexpr std::size_t kMaxItems = 1U << 20;

/// A field or list beyond its bound is a panic: what may be larger is cut into several before.
class Encoder {
 public:
  Encoder& u8(std::uint8_t value);
  Encoder& u16(std::uint16_t value);
  Encoder& u32(std::uint32_t value);
  Encoder& u64(std::uint64_t value);
  Encoder& boolean(bool value) { return u8(value ? 1 : 0); }
  Encoder& text(std::string_view value);  ///< at most kMaxField
  Encoder& bytes(BytesView value);
  /// The count of a list whose items the caller encodes next.
  Encoder& count(std::size_t items);

  [[nodiscard]] const Bytes& result() const { return out_; }
  [[nodiscard]] Bytes take() { return std::move(out_); }

 private:
  Bytes out_;
};

/// `bytes` is borrowed. Reads in the order of encoding; every method fails with `malformed` when the bytes
/// don't hold it.
class Decoder {
 public:
  explicit Decoder(BytesView bytes) : rest_(bytes) {}

  Result<std::uint8_t> u8();
  Result<std::uint16_t> u16();
  Result<std::uint32_t> u32();
  Result<std::uint64_t> u64();
  Result<bool> boolean();  ///< 0 or 1, nothing else
  Result<std::string> text();
  Result<Bytes> bytes();
  /// A list's count: at most kMaxItems and no more than could be left at one byte an item.
  Result<std::size_t> count();
  /// `malformed` when bytes are left over.
  Result<void> finish() const;

 private:
  Result<BytesView> take(std::size_t count);
  Result<BytesView> field();
  BytesView rest_;
};

}  // namespace belljar::wire
