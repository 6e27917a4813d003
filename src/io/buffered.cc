#include "io/buffered.h"

#include <algorithm>
#include <cstring>

namespace belljar::io {

namespace {
constexpr std::size_t kReadSize = 16U << 10;
}

Result<std::size_t> BufferedReader::read_some(std::span<std::uint8_t> buffer) {
  auto ahead = buffered();
  if (ahead.empty()) return source_.read_some(buffer);
  auto count = std::min(buffer.size(), ahead.size());
  std::memcpy(buffer.data(), ahead.data(), count);
  consume(count);
  return count;
}

Result<std::size_t> BufferedReader::fill() {
  auto held = buffered().size();
  if (held >= limit_) return Error(ErrorCode::limit_exceeded, "more bytes than may be looked at ahead");
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(start_));
  start_ = 0;
  buffer_.resize(held + std::min(kReadSize, limit_ - held));
  auto count = source_.read_some(std::span(buffer_).subspan(held));
  buffer_.resize(held + (count.ok() ? *count : 0));
  return count;
}

Result<BytesView> BufferedReader::peek(std::size_t count) {
  while (buffered().size() < count)
    if (TRY(fill()) == 0) break;
  return buffered().first(std::min(count, buffered().size()));
}

void BufferedReader::consume(std::size_t count) {
  CHECK(count <= buffered().size());
  start_ += count;
  if (start_ == buffer_.size()) buffer_.clear(), start_ = 0;
}

Result<Bytes> BufferedReader::read_exactly(std::size_t count) {
  Bytes result;
  while (result.size() < count) {
    // Grows with what arrives: the count may be a stranger's claim.
    auto held = result.size();
    result.resize(held + std::min(count - held, kReadSize));
    auto got = TRY(read_some(std::span(result).subspan(held)));
    if (got == 0) return Error(ErrorCode::closed, "the stream ended early");
    result.resize(held + got);
  }
  return result;
}

}  // namespace belljar::io
