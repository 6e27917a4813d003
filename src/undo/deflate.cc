#include "undo/deflate.h"

#include <libdeflate.h>

#include "base/panic.h"

namespace belljar::undo {

namespace {

constexpr std::size_t kSample = 4096;

struct CompressorCloser {
  void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
};
using Owned = std::unique_ptr<libdeflate_compressor, CompressorCloser>;

libdeflate_compressor* make(Owned& place, int level) {
  if (!place) place.reset(libdeflate_alloc_compressor(level));
  CHECK(place != nullptr);
  return place.get();
}

}  // namespace

struct Compressor::Levels {
  Owned stored;
  Owned fast;
};

Compressor::Compressor() : levels_(std::make_unique<Levels>()) {}
Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;

void Compressor::append(BytesView content, Bytes& out) {
  auto* fast = make(levels_->fast, 1);
  bool shrinks = true;
  if (content.size() > 2 * kSample) {
    Bytes sample(libdeflate_zlib_compress_bound(fast, kSample));
    auto middle = content.subspan(content.size() / 2, kSample);
    auto size = libdeflate_zlib_compress(fast, middle.data(), middle.size(), sample.data(), sample.size());
    shrinks = size < kSample - kSample / 16;
  }
  auto* chosen = shrinks ? fast : make(levels_->stored, 0);
  auto before = out.size();
  out.resize(before + libdeflate_zlib_compress_bound(chosen, content.size()));
  auto size = libdeflate_zlib_compress(chosen, content.data(), content.size(), out.data() + before,
                                       out.size() - before);
  CHECK(size != 0);  // the bound is a promise
  out.resize(before + size);
}

Result<Bytes> inflate(BytesView packed, std::size_t size) {
  // Deflate gains at most 1032 to 1: a length beyond that is damage, and is not allocated.
  if (size / 1040 > packed.size() + 64)
    return Error(ErrorCode::malformed, "an object's length can't be that of its content");
  std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  CHECK(decompressor != nullptr);
  Bytes content(size);
  std::uint8_t none = 0;
  auto done = libdeflate_zlib_decompress_ex(decompressor.get(), packed.data(), packed.size(),
                                            size == 0 ? &none : content.data(), size, nullptr, nullptr);
  if (done != LIBDEFLATE_SUCCESS) return Error(ErrorCode::malformed, "an object's content is damaged");
  return content;
}

std::uint32_t checksum(BytesView bytes) { return libdeflate_crc32(0, bytes.data(), bytes.size()); }

}  // namespace belljar::undo
