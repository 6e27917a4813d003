#include "wire/codec.h"

#include <algorithm>

namespace belljar::wire {

namespace {

template <typename Integer>
void append(Bytes& out, Integer value) {
  for (int shift = static_cast<int>(sizeof(Integer)) * 8 - 8; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::uint8_t>(value >> shift));
}

std::uint64_t big_endian(BytesView bytes) {
  std::uint64_t value = 0;
  for (auto byte : bytes)
    value = value << 8 | byte;
  return value;
}

}  // namespace

Encoder& Encoder::u8(std::uint8_t value) {
  out_.push_back(value);
  return *this;
}

Encoder& Encoder::u16(std::uint16_t value) {
  append(out_, value);
  return *this;
}

Encoder& Encoder::u32(std::uint32_t value) {
  append(out_, value);
  return *this;
}

Encoder& Encoder::u64(std::uint64_t value) {
  append(out_, value);
  return *this;
}

Encoder& Encoder::text(std::string_view value) { return bytes(as_bytes(value)); }

Encoder& Encoder::bytes(BytesView value) {
  CHECK(value.size() <= kMaxField);
  u32(static_cast<std::uint32_t>(value.size()));
  out_.insert(out_.end(), value.begin(), value.end());
  return *this;
}

Encoder& Encoder::count(std::size_t items) {
  CHECK(items <= kMaxItems);
  return u32(static_cast<std::uint32_t>(items));
}

Result<BytesView> Decoder::take(std::size_t count) {
  if (count > rest_.size()) return Error(ErrorCode::malformed, "a message that is shorter than it says");
  auto taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

Result<std::uint8_t> Decoder::u8() { return TRY(take(1))[0]; }
Result<std::uint16_t> Decoder::u16() { return static_cast<std::uint16_t>(big_endian(TRY(take(2)))); }
Result<std::uint32_t> Decoder::u32() { return static_cast<std::uint32_t>(big_endian(TRY(take(4)))); }
Result<std::uint64_t> Decoder::u64() { return big_endian(TRY(take(8))); }

Result<bool> Decoder::boolean() {
  auto value = TRY(u8());
  if (value > 1) return Error(ErrorCode::malformed, "a truth value that is neither 0 nor 1");
  return value == 1;
}

Result<BytesView> Decoder::field() {
  std::size_t size = TRY(u32());
  if (size > kMaxField) return Error(ErrorCode::malformed, "a field larger than its bound");
  return take(size);
}

Result<std::string> Decoder::text() { return std::string(as_text(TRY(field()))); }

Result<Bytes> Decoder::bytes() {
  auto view = TRY(field());
  return Bytes(view.begin(), view.end());
}

Result<std::size_t> Decoder::count() {
  std::size_t items = TRY(u32());
  if (items > std::min(kMaxItems, rest_.size()))
    return Error(ErrorCode::malformed, "a list with more items than the message can hold");
  return items;
}

Result<void> Decoder::finish() const {
  if (!rest_.empty()) return Error(ErrorCode::malformed, "bytes left over after a message");
  return {};
}

}  // namespace belljar::wire
