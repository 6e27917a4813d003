#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "http/reader.h"
#include "http/writer.h"
#include "io/memory.h"

namespace belljar::http {
namespace {

Result<Response> read_text(const std::string& text, std::string_view method = "GET") {
  io::MemoryStream stream(to_bytes(text), 7);
  io::BufferedReader reader(stream, kReaderLimit);
  return read_response_head(reader, method);
}

Response accepted(const std::string& text, std::string_view method = "GET") {
  Result<Response> response = read_text(text, method);
  EXPECT_TRUE(response.ok()) << text;
  return response.ok() ? std::move(response).value() : Response{};
}

TEST(ResponseReader, ReadsStatusAndFields) {
  Response response = accepted("HTTP/1.1 404 Not Found\r\nServer: x\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.reason, "Not Found");
  EXPECT_EQ(response.headers, (Headers{{"server", "x"}}));
  EXPECT_EQ(response.framing, (Framing{BodyKind::length, 5}));
  EXPECT_TRUE(response.keep_alive);
  EXPECT_EQ(accepted("HTTP/1.1 200\r\n\r\n").reason, "");
  EXPECT_EQ(accepted("HTTP/1.1 200 \r\n\r\n").reason, "");
}

TEST(ResponseReader, DecidesFramingByRequestAndStatus) {
  EXPECT_EQ(accepted("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").framing.kind,
            BodyKind::chunked);
  Response until_close = accepted("HTTP/1.1 200 OK\r\n\r\n");
  EXPECT_EQ(until_close.framing.kind, BodyKind::until_close);
  EXPECT_FALSE(until_close.keep_alive);
  Response head = accepted("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HEAD");
  EXPECT_EQ(head.framing.kind, BodyKind::none);
  EXPECT_EQ(head.announced_length, 5U);
  EXPECT_TRUE(head.keep_alive);
  EXPECT_EQ(accepted("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n").framing.kind, BodyKind::none);
  EXPECT_EQ(accepted("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n").framing.kind, BodyKind::none);
  EXPECT_EQ(accepted("HTTP/1.1 200 OK\r\n\r\n", "CONNECT").framing.kind, BodyKind::none);
}

TEST(ResponseReader, DoesNotReuseAConnectionAfterAnImpossibleBody) {
  EXPECT_FALSE(accepted("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n").keep_alive);
  EXPECT_FALSE(accepted("HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n").keep_alive);
  EXPECT_TRUE(accepted("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n").keep_alive);
}

TEST(ResponseReader, ReadsInterimHeadsOneByOne) {
  io::MemoryStream stream(
      to_bytes("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  io::BufferedReader reader(stream, kReaderLimit);
  EXPECT_TRUE(is_interim(read_response_head(reader, "GET").value().status));
  EXPECT_EQ(read_response_head(reader, "GET").value().status, 200);
}

class RefusedResponse : public testing::TestWithParam<std::string> {};

TEST_P(RefusedResponse, IsMalformed) {
  Result<Response> response = read_text(GetParam());
  ASSERT_FALSE(response.ok()) << GetParam();
  EXPECT_EQ(response.error().code(), ErrorCode::malformed);
}

INSTANTIATE_TEST_SUITE_P(
    Table, RefusedResponse,
    testing::Values("HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
                    "HTTP/1.1 099 OK\r\n\r\n", "HTTP/1.1 600 OK\r\n\r\n", "HTTP/1.1  200 OK\r\n\r\n",
                    "ICY 200 OK\r\n\r\n", "HTTP/1.1 200 O\x01K\r\n\r\n", "HTTP/1.1 200 OK\n\n",
                    "HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
                    "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "SSH-2.0-x\r\n\r\n"));

TEST(ResponseReader, TellsACut) {
  EXPECT_EQ(read_text("").error().code(), ErrorCode::closed);
  EXPECT_EQ(read_text("HTTP/1.1 200 OK\r\nA: b").error().code(), ErrorCode::closed);
}

TEST(ResponseWriter, WritesFramingAndConnection) {
  Response response{.status = 200, .reason = "OK", .headers = {{"a", "b"}}, .framing = {BodyKind::length, 3}};
  EXPECT_EQ(serialise(response), "HTTP/1.1 200 OK\r\na: b\r\ncontent-length: 3\r\n\r\n");
  response.framing = {BodyKind::until_close, 0};
  EXPECT_EQ(serialise(response), "HTTP/1.1 200 OK\r\na: b\r\nconnection: close\r\n\r\n");
  Response head{.status = 200, .reason = "OK", .announced_length = 9};
  EXPECT_EQ(serialise(head), "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n");
}

TEST(ResponseWriterDeathTest, NeverWritesASplitHead) {
  Response response{.status = 200, .reason = "OK", .headers = {{"a", "b\r\nset-cookie: c"}}};
  EXPECT_DEATH((void)serialise(response), "check failed");
}

}  // namespace
}  // namespace belljar::http
