#include "http/body.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/memory.h"

namespace belljar::http {
namespace {

struct ReadBody {
  std::string text;
  ErrorCode error = ErrorCode::internal;
  bool ended = false;
  std::string rest;
  Headers trailers;
};

ReadBody read_pieces(const std::string& text, Framing framing, std::size_t piece, std::size_t buffer_size) {
  io::MemoryStream stream(to_bytes(text), piece);
  io::BufferedReader reader(stream);
  BodyReader body(reader, framing);
  ReadBody result;
  Bytes buffer(buffer_size);
  for (;;) {
    Result<std::size_t> count = body.read_some(buffer);
    if (!count.ok()) {
      result.error = count.error().code();
      return result;
    }
    if (*count == 0) break;
    result.text += as_text(BytesView(buffer).first(*count));
  }
  result.ended = body.ended();
  result.trailers = body.trailers();
  result.rest = as_text(reader.peek(1024).value());
  return result;
}

ReadBody read_chunked(const std::string& text) {
  ReadBody whole = read_pieces(text, {BodyKind::chunked, 0}, SIZE_MAX, 4096);
  ReadBody bytewise = read_pieces(text, {BodyKind::chunked, 0}, 1, 1);
  EXPECT_EQ(whole.ended, bytewise.ended) << text;
  EXPECT_EQ(whole.error, bytewise.error) << text;
  if (whole.ended) {
    EXPECT_EQ(whole.text, bytewise.text) << text;
  }
  return whole;
}

TEST(BodyReader, StopsAtTheLength) {
  ReadBody body = read_pieces("helloGET", {BodyKind::length, 5}, 3, 100);
  EXPECT_EQ(body.text, "hello");
  EXPECT_TRUE(body.ended);
  EXPECT_EQ(body.rest, "GET");
  EXPECT_EQ(read_pieces("hell", {BodyKind::length, 5}, 3, 100).error, ErrorCode::closed);
  EXPECT_TRUE(read_pieces("x", {BodyKind::length, 0}, 3, 100).ended);
  EXPECT_EQ(read_pieces("x", {BodyKind::none, 0}, 3, 100).rest, "x");
}

TEST(BodyReader, ReadsUntilClose) {
  EXPECT_EQ(read_pieces("hello", {BodyKind::until_close, 0}, 2, 100).text, "hello");
}

TEST(BodyReader, UndoesChunks) {
  ReadBody body =
      read_chunked("3\r\nabc\r\n0A;ext=\"v\"\r\n0123456789\r\n0\r\nX-Sum: 7\r\nCookie: b\r\n\r\nGET");
  EXPECT_EQ(body.text, "abc0123456789");
  EXPECT_TRUE(body.ended);
  EXPECT_EQ(body.trailers, (Headers{{"x-sum", "7"}}));
  EXPECT_EQ(body.rest, "GET");
  EXPECT_TRUE(read_chunked("000\r\n\r\n").ended);
}

class RefusedChunks : public testing::TestWithParam<std::string> {};

TEST_P(RefusedChunks, AreMalformed) {
  ReadBody body = read_chunked(GetParam());
  EXPECT_FALSE(body.ended);
  EXPECT_EQ(body.error, ErrorCode::malformed);
}

INSTANTIATE_TEST_SUITE_P(
    Table, RefusedChunks,
    testing::Values("3\nabc\r\n0\r\n\r\n", "3\r\nabc\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n",
                    "3 \r\nabc\r\n0\r\n\r\n", " 3\r\nabc\r\n0\r\n\r\n", "+3\r\nabc\r\n0\r\n\r\n",
                    "0x3\r\nabc\r\n0\r\n\r\n", "-1\r\nabc\r\n0\r\n\r\n", "\r\n", ";a\r\n\r\n",
                    "1234567890abcdef0\r\n", "3;a\nb\r\nabc\r\n0\r\n\r\n", "3;\x01\r\nabc\r\n",
                    "3\r\nabc\rX0\r\n\r\n", "0\r\nA : b\r\n\r\n", "0\r\nA: b\n\r\n", "0\r\nHost: b\r\n\r\n",
                    "0\r\nTransfer-Encoding: chunked\r\n\r\n", "0\r\nContent-Length: 1\r\n\r\n",
                    "3;a\rb\r\nabc\r\n", "3;\r\nabc\r\n", "3;a=\r\nabc\r\n", "3;a=\"b\r\nabc\r\n",
                    "3;a b\r\nabc\r\n", "1;" + std::string(5000, 'a') + "\r\na\r\n0\r\n\r\n",
                    "0\r\nA: " + std::string(9000, 'a') + "\r\n\r\n"));

TEST(BodyReader, TellsACutInEveryPlace) {
  const std::string whole = "3\r\nabc\r\n0\r\nA: b\r\n\r\n";
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    EXPECT_EQ(read_chunked(whole.substr(0, cut)).error, ErrorCode::closed) << cut;
  }
}

TEST(BodyReader, HandsOverAChunkBeforeItsEndArrives) {
  io::MemoryStream stream(to_bytes("5\r\ndata\n"));
  io::BufferedReader reader(stream);
  BodyReader body(reader, {BodyKind::chunked, 0});
  Bytes buffer(100);
  EXPECT_EQ(body.read_some(buffer).value(), 5U) << "an event must not wait for the line end after it";
}

TEST(BodyWriter, FramesEachWriteAsAChunk) {
  io::MemoryStream stream;
  BodyWriter body(stream, {BodyKind::chunked, 0});
  ASSERT_TRUE(io::write_text(body, "0123456789abcdefX").ok());
  ASSERT_TRUE(io::write_text(body, "").ok()) << "an empty chunk would end the body";
  ASSERT_TRUE(body.finish({{"x-sum", "7"}}).ok());
  EXPECT_EQ(as_text(stream.written()), "11\r\n0123456789abcdefX\r\n0\r\nx-sum: 7\r\n\r\n");
}

TEST(BodyWriter, KeepsToTheAnnouncedLength) {
  io::MemoryStream stream;
  BodyWriter body(stream, {BodyKind::length, 3});
  ASSERT_TRUE(io::write_text(body, "ab").ok());
  EXPECT_FALSE(io::write_text(body, "cd").ok());
  EXPECT_EQ(as_text(stream.written()), "ab");
  EXPECT_EQ(body.close_write().error().code(), ErrorCode::internal);
  BodyWriter none(stream, {});
  EXPECT_FALSE(io::write_text(none, "a").ok());
}

}  // namespace
}  // namespace belljar::http
