#include "wire/message.h"

#include <gtest/gtest.h>

namespace belljar::wire {
namespace {

struct Nothing {
  bool operator==(const Nothing&) const = default;
};
struct Word {
  std::string text;
  bool operator==(const Word&) const = default;
};
struct Number {
  std::uint32_t value = 0;
  bool operator==(const Number&) const = default;
};
using Message = std::variant<Nothing, Word, Number>;
constexpr std::uint8_t kVersion = 7;

void put(Encoder&, const Nothing&) {}
Result<void> get(Decoder&, Nothing&) { return {}; }
void put(Encoder& out, const Word& message) { out.text(message.text); }
Result<void> get(Decoder& in, Word& message) {
  message.text = TRY(in.text());
  return {};
}
void put(Encoder& out, const Number& message) { out.u32(message.value); }
Result<void> get(Decoder& in, Number& message) {
  message.value = TRY(in.u32());
  return {};
}

Bytes encode(const Message& message, std::uint8_t version = kVersion) {
  return encode_message(version, message, [](auto& out, const auto& chosen) { put(out, chosen); });
}
Result<Message> decode(BytesView bytes) {
  return decode_message<Message>(kVersion, bytes, [](auto& in, auto& chosen) { return get(in, chosen); });
}

TEST(Message, ComesBackAsItsKind) {
  for (const Message& message :
       {Message(Nothing{}), Message(Word{"bell"}), Message(Word{}), Message(Number{9})}) {
    auto decoded = decode(encode(message));
    ASSERT_TRUE(decoded.ok()) << decoded.error().to_string();
    EXPECT_EQ(*decoded, message);
  }
}

TEST(Message, IsVersionKindAndWhatTheKindHolds) {
  EXPECT_EQ(encode(Nothing{}), (Bytes{7, 0}));
  EXPECT_EQ(encode(Number{3}), (Bytes{7, 2, 0, 0, 0, 3}));
}

TEST(Message, OfAnotherVersionIsNotRead) {
  auto decoded = decode(encode(Number{3}, 8));
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.error().code(), ErrorCode::unsupported);
  EXPECT_NE(decoded.error().to_string().find("version 8; this belljar speaks 7"), std::string::npos);
}

TEST(Message, RefusesWhatIsNone) {
  auto whole = encode(Word{"bell"});
  auto longer = whole;
  longer.push_back(0);
  for (const Bytes& bytes : {Bytes{}, Bytes{7}, Bytes{7, 3}, Bytes{7, 255}, Bytes{7, 0, 0}, longer,
                             Bytes(whole.begin(), whole.end() - 1)}) {
    auto decoded = decode(bytes);
    ASSERT_FALSE(decoded.ok()) << bytes.size();
    EXPECT_EQ(decoded.error().code(), ErrorCode::malformed);
  }
}

// Where two kinds hold the same type, the place still tells them apart.
TEST(Message, KindsMayBeOfOneType) {
  using Twice = std::variant<Number, Number>;
  Twice second(std::in_place_index<1>, Number{4});
  auto bytes = encode_message(kVersion, second, [](auto& out, const auto& chosen) { put(out, chosen); });
  auto decoded =
      decode_message<Twice>(kVersion, bytes, [](auto& in, auto& chosen) { return get(in, chosen); });
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->index(), 1U);
}

}  // namespace
}  // namespace belljar::wire
