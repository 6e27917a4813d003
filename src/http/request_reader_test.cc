#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "http/reader.h"
#include "http/writer.h"
#include "io/memory.h"

namespace belljar::http {
namespace {

// Everything is read in pieces of one byte too: no answer may depend on how the bytes arrive.
RequestOutcome read_pieces(const std::string& text, std::size_t piece, const Limits& limits = {}) {
  io::MemoryStream stream(to_bytes(text), piece);
  io::BufferedReader reader(stream, kReaderLimit);
  Result<RequestOutcome> outcome = read_request_head(reader, limits);
  EXPECT_TRUE(outcome.ok()) << text;
  return outcome.ok() ? std::move(outcome).value() : RequestOutcome(Ended{});
}

RequestOutcome read_text(const std::string& text, const Limits& limits = {}) {
  RequestOutcome whole = read_pieces(text, SIZE_MAX, limits);
  RequestOutcome bytewise = read_pieces(text, 1, limits);
  EXPECT_EQ(whole.index(), bytewise.index()) << text;
  return whole;
}

Request accepted(const std::string& text) {
  RequestOutcome outcome = read_text(text);
  if (auto* refusal = std::get_if<Refusal>(&outcome)) ADD_FAILURE() << text << "refused: " << refusal->reason;
  return std::holds_alternative<Request>(outcome) ? std::get<Request>(outcome) : Request{};
}

struct Refused {
  const char* name;
  std::string text;
  int status;
};

class RefusedRequest : public testing::TestWithParam<Refused> {};

TEST_P(RefusedRequest, NamesStatusAndReason) {
  RequestOutcome outcome = read_text(GetParam().text);
  ASSERT_TRUE(std::holds_alternative<Refusal>(outcome));
  EXPECT_EQ(std::get<Refusal>(outcome).status, GetParam().status);
  EXPECT_FALSE(std::get<Refusal>(outcome).reason.empty());
}

std::string get(const std::string& fields) {
  return "GET / HTTP/1.1\r\nHost: a.example\r\n" + fields + "\r\n";
}
std::string post(const std::string& fields) {
  return "POST / HTTP/1.1\r\nHost: a.example\r\n" + fields + "\r\n";
}
std::string line(const std::string& start) { return start + "\r\nHost: a.example\r\n\r\n"; }

const std::vector<Refused> kRefused = {
    {"LengthAndChunked", post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"), 400},
    {"ChunkedAndLength", post("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"), 400},
    {"TwoEqualLengths", post("Content-Length: 3\r\nContent-Length: 3\r\n"), 400},
    {"TwoDifferingLengths", post("Content-Length: 3\r\ncontent-length: 4\r\n"), 400},
    {"LengthList", post("Content-Length: 3, 3\r\n"), 400},
    {"LengthWithPlus", post("Content-Length: +3\r\n"), 400},
    {"NegativeLength", post("Content-Length: -3\r\n"), 400},
    {"HexLength", post("Content-Length: 0x3\r\n"), 400},
    {"EmptyLength", post("Content-Length:\r\n"), 400},
    {"LengthWithSpaceWithin", post("Content-Length: 1 2\r\n"), 400},
    {"LengthOverflows", post("Content-Length: 18446744073709551617\r\n"), 400},
    {"UnknownCoding", post("Transfer-Encoding: gzip\r\n"), 501},
    {"CodingsBeforeChunked", post("Transfer-Encoding: gzip, chunked\r\n"), 501},
    {"ChunkedTwiceInList", post("Transfer-Encoding: chunked, chunked\r\n"), 501},
    {"ChunkedTwice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400},
    {"ChunkedWithParameter", post("Transfer-Encoding: chunked;q=1\r\n"), 501},
    {"ObfuscatedChunked", post("Transfer-Encoding: xchunked\r\n"), 501},
    {"EmptyCoding", post("Transfer-Encoding:\r\n"), 400},
    {"VerticalTabBeforeChunked",
     post("Transfer-Encoding: \x0b"
          "chunked\r\n"),
     400},
    {"ChunkedInHttp10", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
    {"UnderscoreLength", post("Content_Length: 3\r\n"), 400},
    {"UnderscoreCoding", post("Transfer_Encoding: chunked\r\n"), 400},
    {"TwoHosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400},
    {"NoHost", "GET / HTTP/1.1\r\nAccept: */*\r\n\r\n", 400},
    {"NoHostInHttp10", "GET / HTTP/1.0\r\n\r\n", 400},
    {"EmptyHost", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400},
    {"HostWithUser", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400},
    {"HostWithPath", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
    {"HostList", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400},
    {"HostWithPortZero", "GET / HTTP/1.1\r\nHost: a:0\r\n\r\n", 400},
    {"HostWithLargePort", "GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n", 400},
    {"HostWithEmptyPort", "GET / HTTP/1.1\r\nHost: a:\r\n\r\n", 400},
    {"HostPercentEncoded", "GET / HTTP/1.1\r\nHost: a%2eb\r\n\r\n", 400},
    {"HostNotAscii", "GET / HTTP/1.1\r\nHost: \xc3\xa4.example\r\n\r\n", 400},
    {"Folded", get("X-A: 1\r\n 2\r\n"), 400},
    {"FoldedByTab", get("X-A: 1\r\n\t2\r\n"), 400},
    {"FoldedFirstLine", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400},
    {"SpaceBeforeColon", get("X-A : 1\r\n"), 400},
    {"TabBeforeColon", get("Transfer-Encoding\t: chunked\r\n"), 400},
    {"SpaceWithinName", get("X A: 1\r\n"), 400},
    {"EmptyName", get(": 1\r\n"), 400},
    {"NoColon", get("X-A\r\n"), 400},
    {"NameNotAscii", get("X-\xc3\xa4: 1\r\n"), 400},
    {"BareLineFeedInHeader", "GET / HTTP/1.1\r\nHost: a\nX: 1\r\n\r\n", 400},
    {"BareLineFeedAtEnd", "GET / HTTP/1.1\r\nHost: a\r\n\n", 400},
    {"BareLineFeedInStartLine", "GET / HTTP/1.1\nHost: a\r\n\r\n", 400},
    {"BareCarriageReturn", get("X-A: 1\rX-B: 2\r\n"), 400},
    {"DoubleCarriageReturn", get("X-A: 1\r\r\n"), 400},
    {"NulInValue", get(std::string("X-A: a\0b\r\n", 10)), 400},
    {"NulInName", get(std::string("X\0A: ab\r\n", 9)), 400},
    {"ControlInValue", get("X-A: \x01\r\n"), 400},
    {"DeleteInValue", get("X-A: \x7f\r\n"), 400},
    {"AbsoluteFormElsewhere", "GET http://b.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n", 421},
    {"AbsoluteFormOtherPort", "GET http://a.example:81/ HTTP/1.1\r\nHost: a.example\r\n\r\n", 421},
    {"AbsoluteFormWithUser", "GET http://a.example@b/ HTTP/1.1\r\nHost: a.example\r\n\r\n", 400},
    {"AbsoluteFormWithoutHost", "GET http:/// HTTP/1.1\r\nHost: a.example\r\n\r\n", 400},
    {"OtherScheme", line("GET ftp://a.example/ HTTP/1.1"), 400},
    {"RelativeTarget", line("GET a/b HTTP/1.1"), 400},
    {"Fragment", line("GET /a#b HTTP/1.1"), 400},
    {"Backslash", line("GET /a\\b HTTP/1.1"), 400},
    {"TargetNotAscii", line("GET /\xc3\xa4 HTTP/1.1"), 400},
    {"SpaceInTarget", line("GET /a b HTTP/1.1"), 400},
    {"TabInStartLine", line("GET\t/ HTTP/1.1"), 400},
    {"TwoSpaces", line("GET  / HTTP/1.1"), 400},
    {"SpaceAtLineEnd", line("GET / HTTP/1.1 "), 400},
    {"SpaceBeforeMethod", line(" GET / HTTP/1.1"), 400},
    {"NoVersion", line("GET /"), 400},
    {"LowerCaseVersion", line("GET / http/1.1"), 400},
    {"LongVersion", line("GET / HTTP/1.10"), 400},
    {"Http09", line("GET / HTTP/0.9"), 505},
    {"Http12", line("GET / HTTP/1.2"), 505},
    {"Http2Preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
    {"LowerCaseMethod", line("get / HTTP/1.1"), 400},
    {"MethodNoToken", line("GE(T / HTTP/1.1"), 400},
    {"LongMethod", line(std::string(33, 'A') + " / HTTP/1.1"), 400},
    {"AsteriskOfGet", line("GET * HTTP/1.1"), 400},
    {"ConnectWithoutPort", line("CONNECT a.example HTTP/1.1"), 400},
    {"ConnectElsewhere", line("CONNECT b.example:443 HTTP/1.1"), 421},
    {"ConnectWithBody", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\nContent-Length: 1\r\n\r\n", 400},
    {"OtherExpectation", post("Expect: 200-ok\r\n"), 417},
    {"TlsRecord", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15), 400},
    {"LongTarget", line("GET /" + std::string(17000, 'a') + " HTTP/1.1"), 414},
    {"LongHeader", get("X-A: " + std::string(66000, 'a') + "\r\n"), 431},
    {"ThreeEmptyLines", "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
};

INSTANTIATE_TEST_SUITE_P(Table, RefusedRequest, testing::ValuesIn(kRefused),
                         [](const auto& tested) { return tested.param.name; });

TEST(RequestReader, RefusesTooManyFields) {
  std::string many;
  for (int i = 0; i < 200; ++i)
    many += "X: y\r\n";
  RequestOutcome outcome = read_text(get(many));  // 201 with Host
  ASSERT_TRUE(std::holds_alternative<Refusal>(outcome));
  EXPECT_EQ(std::get<Refusal>(outcome).status, 431);
}

TEST(RequestReader, ReadsHostTargetAndFields) {
  Request request = accepted(
      "GET /a%2Fb/c?x=1&y=%20?z HTTP/1.1\r\nHOST: Api.Example:8443\r\nACCEPT:  text/html \t\r\nX-Empty:\r\n"
      "X-Text: caf\xe9 \"q\"\r\n\r\n");
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.host, "api.example");
  EXPECT_EQ(request.port, 8443);
  EXPECT_EQ(request.path, "/a%2Fb/c");
  EXPECT_EQ(request.query, "x=1&y=%20?z");
  EXPECT_EQ(request.headers,
            (Headers{{"accept", "text/html"}, {"x-empty", ""}, {"x-text", "caf\xe9 \"q\""}}));
  EXPECT_EQ(request.framing, Framing{});
  EXPECT_TRUE(request.keep_alive);
}

TEST(RequestReader, TurnsAbsoluteFormIntoOriginForm) {
  Request request = accepted("GET HTTP://A.example:80?q HTTP/1.1\r\nHost: a.example\r\n\r\n");
  EXPECT_EQ(request.scheme, "http");
  EXPECT_EQ(request.target(), "/?q");
  EXPECT_EQ(request.authority(), "a.example:80");
}

TEST(RequestReader, DistinguishesEmptyFromMissingQuery) {
  EXPECT_EQ(accepted(line("GET /a? HTTP/1.1")).target(), "/a?");
  EXPECT_EQ(accepted(line("GET /a HTTP/1.1")).target(), "/a");
}

TEST(RequestReader, KeepsConnectAndAsteriskApart) {
  Request connect = accepted("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n");
  EXPECT_EQ(connect.target_kind, TargetKind::connect);
  EXPECT_EQ(connect.authority(), "a.example:443");
  Request options = accepted(line("OPTIONS * HTTP/1.1"));
  EXPECT_EQ(options.target_kind, TargetKind::asterisk);
  EXPECT_EQ(options.host, "a.example");
  EXPECT_EQ(accepted("GET / HTTP/1.1\r\nHost: [2001:DB8::1]:80\r\n\r\n").host, "[2001:db8::1]");
}

TEST(RequestReader, DecidesFramingOnce) {
  EXPECT_EQ(accepted(post("Content-Length: 0\r\n")).framing, (Framing{BodyKind::length, 0}));
  EXPECT_EQ(accepted(post("Content-Length: 007\r\n")).framing, (Framing{BodyKind::length, 7}));
  Request chunked = accepted(post("Transfer-Encoding: Chunked\r\nExpect: 100-Continue\r\n"));
  EXPECT_EQ(chunked.framing.kind, BodyKind::chunked);
  EXPECT_TRUE(chunked.expects_continue);
  EXPECT_TRUE(chunked.headers.empty());
  EXPECT_FALSE(accepted(get("Expect: 100-continue\r\n")).expects_continue)
      << "there is no body to continue with";
}

TEST(RequestReader, KnowsWhenTheConnectionEnds) {
  EXPECT_FALSE(accepted(get("Connection: keep-alive, Close\r\n")).keep_alive);
  EXPECT_FALSE(accepted("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n").keep_alive);
}

TEST(RequestReader, LeavesWhatFollows) {
  io::MemoryStream stream(to_bytes("\r\n" + get("") + post("Content-Length: 1\r\n") + "x"));
  io::BufferedReader reader(stream, kReaderLimit);
  EXPECT_EQ(std::get<Request>(read_request_head(reader).value()).method, "GET");
  EXPECT_EQ(std::get<Request>(read_request_head(reader).value()).method, "POST");
  EXPECT_EQ(as_text(reader.peek(2).value()), "x");
}

TEST(RequestReader, TellsTheEndFromACut) {
  io::MemoryStream nothing;
  io::BufferedReader empty(nothing);
  EXPECT_TRUE(std::holds_alternative<Ended>(read_request_head(empty).value()));
  io::MemoryStream cut(to_bytes("GET / HTTP/1.1\r\nHost: a\r\n"));
  io::BufferedReader reader(cut);
  EXPECT_EQ(read_request_head(reader).error().code(), ErrorCode::closed);
}

TEST(RequestReader, WhatIsWrittenReadsTheSame) {
  Request request = accepted(
      "POST http://a.example/p?q HTTP/1.1\r\nHost: a.example\r\nX-A: 1\r\nX-a: 2\r\nTransfer-Encoding: "
      "chunked\r\n"
      "Connection: close\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(serialise(request),
            "POST /p?q HTTP/1.1\r\nhost: a.example\r\nx-a: 1\r\nx-a: 2\r\nconnection: close\r\n"
            "transfer-encoding: chunked\r\nexpect: 100-continue\r\n\r\n");
  Request again = accepted(serialise(request));
  EXPECT_EQ(serialise(again), serialise(request));
}

TEST(HopByHop, IsRemovedWithWhatConnectionNames) {
  Headers headers = {{"Connection", "x-private, close, Host, Content-Type, TE"},
                     {"X-Private", "1"},
                     {"Upgrade", "h2c"},
                     {"Keep-Alive", "5"},
                     {"Proxy-Authorization", "Basic"},
                     {"TE", "trailers"},
                     {"Accept", "*/*"},
                     {"Content-Type", "text/plain"}};
  remove_hop_by_hop(headers);
  EXPECT_EQ(headers, (Headers{{"accept", "*/*"}, {"content-type", "text/plain"}}));
}

TEST(Headers, SplitsListsOutsideQuotes) {
  Headers headers = {{"a", "x, \"y,\\\"z\" ,, "}, {"A", "w"}};
  EXPECT_EQ(headers.elements("a"), (std::vector<std::string>{"x", "\"y,\\\"z\"", "w"}));
  EXPECT_TRUE(headers.lists("A", "W"));
  EXPECT_FALSE(headers.lists("a", "z"));
}

}  // namespace
}  // namespace belljar::http
