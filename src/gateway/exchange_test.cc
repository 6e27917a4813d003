#include "gateway/exchange.h"

#include <functional>

#include <gtest/gtest.h>

namespace belljar::gateway {
namespace {

RequestHead a_request() {
  RequestHead head;
  head.exchange = "0123456789abcdef";
  head.host = "api.example.com";
  head.port = 8443;
  head.method = "POST";
  head.path = "/v1/messages%20x";
  head.query = "";
  head.headers = {{"accept", "*/*"}, {"authorization", "Bearer a b"}, {"accept", "text/plain"}};
  head.body = {.kind = BodySize::Kind::sized, .length = 5000000000};
  return head;
}

Result<Frame> round_trip(const Frame& frame) {
  auto bytes = encode(frame);
  auto header = TRY(decode_header(BytesView(bytes).first(kFrameHeader)));
  return decode_payload(header, BytesView(bytes).subspan(kFrameHeader));
}

TEST(ExchangeFrames, AreWhatTheyWere) {
  ResponseHead response;
  response.status = 206;
  response.headers = {
      {"content-type", "text/event-stream"}, {"set-cookie", "a=1"}, {"set-cookie", "b=\xc3\xa4"}};
  response.body = {.kind = BodySize::Kind::streamed, .length = 0};
  const Frame frames[] = {
      a_request(),
      response,
      ResponseHead{.status = 304, .headers = {}, .body = {.kind = BodySize::Kind::announced, .length = 7}},
      Body{to_bytes("data: x\n\n")},
      Body{Bytes(kMaxChunk, 0)},
      End{},
      Refusal{.status = 403, .reason = "no rule allows it", .how = "belljar allow x", .origin = "profile"},
      Abort{.reason = "the server closed"},
  };
  for (const auto& frame : frames) {
    auto again = round_trip(frame);
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    EXPECT_TRUE(*again == frame) << "frame " << frame.index();
  }
}

TEST(ExchangeFrames, HeadersBeyondTheirBoundAreRefusedBeforeAnythingIsAllocated) {
  EXPECT_FALSE(decode_header(Bytes{3, 0, 0, 0x40, 1}).ok());  // a chunk of 16 KiB and one
  EXPECT_TRUE(decode_header(Bytes{3, 0, 0, 0x40, 0}).ok());
  EXPECT_FALSE(decode_header(Bytes{4, 0, 0, 0, 1}).ok());  // End with a payload
  EXPECT_FALSE(decode_header(Bytes{1, 0xff, 0xff, 0xff, 0xff}).ok());
  EXPECT_FALSE(decode_header(Bytes{0, 0, 0, 0, 0}).ok());
  EXPECT_FALSE(decode_header(Bytes{7, 0, 0, 0, 0}).ok());
  EXPECT_FALSE(decode_header(Bytes{4, 0, 0, 0}).ok());
}

TEST(ExchangeFrames, CutAndPaddedPayloadsAreMalformed) {
  auto bytes = encode(a_request());
  auto payload = BytesView(bytes).subspan(kFrameHeader);
  for (std::size_t length = 0; length < payload.size(); ++length) {
    auto header = FrameHeader{.type = 1, .length = static_cast<std::uint32_t>(length)};
    EXPECT_FALSE(decode_payload(header, payload.first(length)).ok()) << length;
  }
  Bytes padded(payload.begin(), payload.end());
  padded.push_back(0);
  EXPECT_FALSE(decode_payload({.type = 1, .length = static_cast<std::uint32_t>(padded.size())}, padded).ok());
}

/// A request with one thing wrong.
struct Wrong {
  const char* name;
  std::function<void(RequestHead&)> change;
};

void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.name; }

class WrongRequests : public testing::TestWithParam<Wrong> {};

TEST_P(WrongRequests, AreMalformedWhoeverMadeThem) {
  auto head = a_request();
  ASSERT_TRUE(check(head).ok());
  GetParam().change(head);
  EXPECT_FALSE(check(head).ok());
  EXPECT_FALSE(round_trip(head).ok());
}

INSTANTIATE_TEST_SUITE_P(
    Exchange, WrongRequests,
    testing::Values(Wrong{"exchange", [](RequestHead& head) { head.exchange = "0123456789ABCDEF"; }},
                    Wrong{"short_exchange", [](RequestHead& head) { head.exchange = "0"; }},
                    Wrong{"upper_host", [](RequestHead& head) { head.host = "API.example.com"; }},
                    Wrong{"address", [](RequestHead& head) { head.host = "127.1"; }},
                    Wrong{"no_host", [](RequestHead& head) { head.host = ""; }},
                    Wrong{"port", [](RequestHead& head) { head.port = 0; }},
                    Wrong{"method", [](RequestHead& head) { head.method = "GET /"; }},
                    Wrong{"connect", [](RequestHead& head) { head.method = "CONNECT"; }},
                    Wrong{"relative_path", [](RequestHead& head) { head.path = "v1"; }},
                    Wrong{"absolute_form", [](RequestHead& head) { head.path = "http://x/"; }},
                    Wrong{"query_in_path", [](RequestHead& head) { head.path = "/a?b"; }},
                    Wrong{"dots", [](RequestHead& head) { head.path = "/a/../b"; }},
                    Wrong{"encoded_dots", [](RequestHead& head) { head.path = "/a/%2e%2E/b"; }},
                    Wrong{"line_break", [](RequestHead& head) { head.path = "/a\r\nx: y"; }},
                    Wrong{"space", [](RequestHead& head) { head.query = "a b"; }},
                    Wrong{"fragment", [](RequestHead& head) { head.query = "a#b"; }},
                    Wrong{"long", [](RequestHead& head) { head.query = std::string(kMaxTarget, 'a'); }},
                    Wrong{"announced", [](RequestHead& head) { head.body.kind = BodySize::Kind::announced; }},
                    Wrong{"length",
                          [](RequestHead& head) {
                            head.body = {BodySize::Kind::streamed, 1};
                          }},
                    Wrong{"host_field", [](RequestHead& head) { head.headers.add("host", "evil.test"); }},
                    Wrong{"framing",
                          [](RequestHead& head) { head.headers.add("transfer-encoding", "chunked"); }},
                    Wrong{"length_field", [](RequestHead& head) { head.headers.add("content-length", "1"); }},
                    Wrong{"hop", [](RequestHead& head) { head.headers.add("proxy-authorization", "x"); }},
                    Wrong{"value", [](RequestHead& head) { head.headers.add("a", "b\r\nc: d"); }},
                    Wrong{"name", [](RequestHead& head) { head.headers.add("a b", "c"); }}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(ExchangeFrames, InterimAndImpossibleStatusesAreMalformed) {
  constexpr std::uint16_t kNotFinal[] = {0, 100, 101, 199, 600, 65535};
  for (auto status : kNotFinal)
    EXPECT_FALSE(check(ResponseHead{.status = status, .headers = {}, .body = {}}).ok()) << status;
  EXPECT_FALSE(round_trip(Refusal{.status = 200, .reason = "x", .how = "", .origin = ""}).ok());
}

TEST(ExchangeFrames, ARefusalIsOneLine) {
  auto frame = round_trip(Refusal{.status = 403, .reason = "a\r\nSet-Cookie: b", .how = "\n", .origin = ""});
  ASSERT_TRUE(frame.ok());
  EXPECT_EQ(std::get<Refusal>(*frame).reason, "a  Set-Cookie: b");
}

}  // namespace
}  // namespace belljar::gateway
