#include "wire/codec.h"

#include <gtest/gtest.h>

namespace belljar::wire {
namespace {

Bytes everything() {
  Encoder encoder;
  encoder.u8(0xAB).u16(0x0102).u32(0x03040506).u64(0x0708090A0B0C0D0EULL).boolean(true).text("name");
  encoder.bytes(Bytes{0, 255}).count(2).u8(1).u8(2);
  return encoder.take();
}

Result<void> decode_everything(BytesView bytes) {
  Decoder decoder(bytes);
  EXPECT_EQ(TRY(decoder.u8()), 0xAB);
  EXPECT_EQ(TRY(decoder.u16()), 0x0102);
  EXPECT_EQ(TRY(decoder.u32()), 0x03040506U);
  EXPECT_EQ(TRY(decoder.u64()), 0x0708090A0B0C0D0EULL);
  EXPECT_TRUE(TRY(decoder.boolean()));
  EXPECT_EQ(TRY(decoder.text()), "name");
  EXPECT_EQ(TRY(decoder.bytes()), (Bytes{0, 255}));
  auto items = TRY(decoder.count());
  EXPECT_EQ(items, 2U);
  for (std::size_t i = 0; i < items; ++i)
    EXPECT_EQ(TRY(decoder.u8()), i + 1);
  return decoder.finish();
}

TEST(Codec, ReadsBackWhatItWrote) {
  auto result = decode_everything(everything());
  EXPECT_TRUE(result.ok());
}

TEST(Codec, IsBigEndian) { EXPECT_EQ(Encoder().u16(0x0102).u32(3).take(), (Bytes{1, 2, 0, 0, 0, 3})); }

TEST(Codec, RefusesEveryCut) {
  auto whole = everything();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    auto result = decode_everything(BytesView(whole).first(size));
    ASSERT_FALSE(result.ok()) << size;
    EXPECT_EQ(result.error().code(), ErrorCode::malformed);
  }
}

TEST(Codec, RefusesBytesLeftOver) {
  auto bytes = everything();
  bytes.push_back(0);
  EXPECT_EQ(decode_everything(bytes).error().code(), ErrorCode::malformed);
}

TEST(Codec, TruthIsZeroOrOne) {
  Bytes two{2};
  EXPECT_EQ(Decoder(two).boolean().error().code(), ErrorCode::malformed);
}

TEST(Codec, RefusesLengthsBeyondTheMessageOrTheBound) {
  auto claim = Encoder().u32(0xFFFFFFFF).u8(0).take();
  EXPECT_EQ(Decoder(claim).text().error().code(), ErrorCode::malformed);
  EXPECT_EQ(Decoder(claim).bytes().error().code(), ErrorCode::malformed);
  EXPECT_EQ(Decoder(claim).count().error().code(), ErrorCode::malformed);
  auto large = Encoder().u32(kMaxField + 1).take();
  large.resize(large.size() + kMaxField + 1);
  EXPECT_EQ(Decoder(large).bytes().error().code(), ErrorCode::malformed);
  auto many = Encoder().u32(kMaxItems + 1).take();
  many.resize(many.size() + kMaxItems + 1);
  EXPECT_EQ(Decoder(many).count().error().code(), ErrorCode::malformed);
}

TEST(Codec, ACountFitsWhatIsLeft) {
  auto bytes = Encoder().u32(3).u8(1).u8(2).take();
  EXPECT_FALSE(Decoder(bytes).count().ok());
  bytes.push_back(3);
  EXPECT_EQ(Decoder(bytes).count().value(), 3U);
}

TEST(CodecDeathTest, NeverEncodesWhatItWouldNotDecode) {
  Bytes large(kMaxField + 1);
  EXPECT_DEATH(Encoder().bytes(large), "check failed");
}

}  // namespace
}  // namespace belljar::wire
