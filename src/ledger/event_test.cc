#include "ledger/event.h"

#include <gtest/gtest.h>

#include "ledger/json.h"
#include "ledger/printable.h"
#include "os/passing.h"
#include "wire/codec.h"

namespace belljar::ledger {
namespace {

Event full() {
  return {.kind = Kind::request,
          .exchange = "0123456789abcdef",
          .verdict = "deny",
          .scheme = "https",
          .host = "api.example.com",
          .port = 8443,
          .method = "POST",
          .path = "/a/ü",
          .reason = "because",
          .origin = "c.toml:1:1",
          .status = 403,
          .bytes_out = 7,
          .bytes_in = 1ULL << 40};
}

TEST(Event, SurvivesTheWire) {
  auto bytes = encode(full());
  auto again = decode(bytes);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(encode(*again), bytes);
  EXPECT_EQ(again->path, "/a/ü");
  EXPECT_EQ(again->bytes_in, 1ULL << 40);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    ASSERT_FALSE(decode(BytesView(bytes).first(cut)).ok()) << cut;
  bytes.push_back(0);
  EXPECT_FALSE(decode(bytes).ok());
}

TEST(Event, KeepsNothingThatATerminalObeys) {
  Event event{.host = "a\x1b[31m\r\n",
              .path =
                  "/\xff\xc2\x9b"
                  "2J\xe2\x80\xae",
              .reason = std::string("a\0b", 3)};
  auto again = decode(encode(event));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->host, "a?[31m??");
  EXPECT_EQ(again->path, "/???2J???");
  EXPECT_EQ(again->reason, "a?b");
}

TEST(Event, FitsIntoOneMessageHoweverLongItsTexts) {
  std::string endless(1 << 20, 'x');
  Event event = full();
  for (auto* text : {&event.scheme, &event.host, &event.method, &event.path, &event.reason, &event.origin})
    *text = endless;
  auto bytes = encode(event);
  EXPECT_LT(bytes.size(), os::kMaxMessage - 1024);
  auto again = decode(bytes);
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->path.ends_with("…"));
  EXPECT_LE(again->path.size(), kMaxEventPath);
}

TEST(Event, RefusesWhatEncodeNeverMakes) {
  auto bytes = [](std::uint8_t kind, std::string_view exchange, std::string_view verdict,
                  std::string_view host) {
    wire::Encoder encoder;
    encoder.u8(kind)
        .text(exchange)
        .text(verdict)
        .text("https")
        .text(host)
        .u16(1)
        .text("GET")
        .text("/")
        .text("")
        .text("");
    return encoder.u16(0).u64(0).u64(0).take();
  };
  EXPECT_TRUE(decode(bytes(1, "", "allow", "a")).ok());
  EXPECT_FALSE(decode(bytes(9, "", "allow", "a")).ok());
  EXPECT_FALSE(decode(bytes(1, "xyz", "allow", "a")).ok());
  EXPECT_FALSE(decode(bytes(1, "", "perhaps", "a")).ok());
  EXPECT_FALSE(decode(bytes(1, "", "allow", "a\n")).ok());
  EXPECT_FALSE(decode(bytes(1, "", "allow", std::string(513, 'a'))).ok());
}

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(make_printable("abcdef", 6), "abcdef");
  EXPECT_EQ(make_printable("abcdefg", 6), "abc…");
  EXPECT_EQ(make_printable("aüüüü", 7), "aü…");
  for (std::size_t limit = 3; limit < 20; ++limit) {
    auto cut = make_printable("aü€😀aü€😀aü€😀", limit);
    EXPECT_LE(cut.size(), limit);
    EXPECT_TRUE(is_printable(cut)) << cut;
  }
}

TEST(Printable, KnowsUtf8) {
  EXPECT_TRUE(is_printable("aü€😀"));
  EXPECT_FALSE(is_printable("not\u00ad seen"));
  for (std::string_view text : {"\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3",
                                "\x80", "\x7f", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xae", "\xe2\x81\xa6"})
    EXPECT_FALSE(is_printable(text));
}

TEST(Printable, LeavesOutWhatNobodySees) {
  for (std::string_view text : {"\u00ad", "\u061c", "\u200b", "\u200c", "\u200d", "\u2060", "\u2064",
                                "\U000e0000", "\U000e0041", "\U000e007f", "\u200f", "\ufeff"}) {
    EXPECT_EQ(make_printable("a" + std::string(text) + "b", 100), "a" + std::string(text.size(), '?') + "b");
  }
  EXPECT_EQ(make_printable("\u2010x\u200a", 9), "\u2010x\u200a");
}

TEST(Json, IsOneLineAndLeavesOutWhatSaysNothing) {
  Row row{.sequence = 3, .time = 1'764'508'324'000'005, .jar = "app", .source = "proxy", .event = full()};
  EXPECT_EQ(
      to_json(row),
      R"({"sequence":3,"time":"2025-11-30T13:12:04.000005Z","jar":"app","source":"proxy","kind":"request",)"
      R"("verdict":"deny","exchange":"0123456789abcdef","scheme":"https","host":"api.example.com","port":8443,)"
      R"("method":"POST","path":"/a/\u00fc","reason":"because","rule":"c.toml:1:1","status":403,"bytes_out":7,)"
      R"("bytes_in":1099511627776})");
  row.event = {.kind = Kind::lifecycle, .reason = "started \"here\""};
  EXPECT_EQ(to_json(row),
            R"({"sequence":3,"time":"2025-11-30T13:12:04.000005Z","jar":"app","source":"proxy",)"
            R"("kind":"lifecycle","reason":"started \"here\""})");
}

}  // namespace
}  // namespace belljar::ledger
