#include "io/buffered.h"

#include <gtest/gtest.h>

#include "io/memory.h"

namespace belljar::io {
namespace {

// None of this needs a loop: what runs on memory runs in any test or fuzzer.

TEST(MemoryStream, ReadsInChunksAndCollectsWhatIsWritten) {
  MemoryStream stream(to_bytes("abcdefg"), 3);
  Bytes buffer(10);
  EXPECT_EQ(stream.read_some(buffer).value(), 3U);
  EXPECT_EQ(stream.read_some(std::span(buffer).first(2)).value(), 2U);
  EXPECT_EQ(stream.read_some(buffer).value(), 2U);
  EXPECT_EQ(stream.read_some(buffer).value(), 0U);
  ASSERT_TRUE(write_text(stream, "x").ok());
  ASSERT_TRUE(stream.close_write().ok());
  EXPECT_TRUE(stream.write_closed());
  EXPECT_EQ(write_text(stream, "y").error().code(), ErrorCode::closed);
  EXPECT_EQ(as_text(stream.written()), "x");
}

TEST(BufferedReader, PeeksAcrossChunksWithoutConsuming) {
  MemoryStream source(to_bytes("hello world"), 2);
  BufferedReader reader(source);
  EXPECT_EQ(as_text(reader.peek(5).value()), "hello");
  EXPECT_EQ(as_text(reader.peek(3).value()), "hel");
  reader.consume(6);
  EXPECT_EQ(as_text(reader.read_exactly(5).value()), "world");
  EXPECT_EQ(reader.peek(1).value().size(), 0U);
}

TEST(BufferedReader, GivesFewerOnlyAtTheEnd) {
  MemoryStream source(to_bytes("abc"), 1);
  BufferedReader reader(source);
  EXPECT_EQ(as_text(reader.peek(10).value()), "abc");
  EXPECT_EQ(reader.fill().value(), 0U);
  EXPECT_EQ(as_text(reader.buffered()), "abc");
}

TEST(BufferedReader, NeverBuffersBeyondItsLimit) {
  MemoryStream source(Bytes(100, 'x'));
  BufferedReader reader(source, 8);
  EXPECT_EQ(reader.peek(8).value().size(), 8U);
  EXPECT_EQ(reader.peek(9).error().code(), ErrorCode::limit_exceeded);
  EXPECT_EQ(reader.fill().error().code(), ErrorCode::limit_exceeded);
  reader.consume(1);
  EXPECT_EQ(reader.peek(8).value().size(), 8U);
}

TEST(BufferedReader, ReadsExactlyOrSaysItEnded) {
  MemoryStream source(to_bytes("abcdef"), 2);
  BufferedReader reader(source, 4);
  EXPECT_EQ(as_text(reader.peek(3).value()), "abc");
  EXPECT_EQ(as_text(reader.read_exactly(5).value()), "abcde");
  EXPECT_EQ(reader.read_exactly(2).error().code(), ErrorCode::closed);
}

TEST(BufferedReader, DoesNotAllocateWhatAStrangerClaims) {
  MemoryStream source(to_bytes("short"));
  BufferedReader reader(source);
  EXPECT_EQ(reader.read_exactly(SIZE_MAX / 2).error().code(), ErrorCode::closed);
}

TEST(BufferedReaderDeathTest, ConsumesNoMoreThanThereIs) {
  MemoryStream source(to_bytes("ab"));
  BufferedReader reader(source);
  ASSERT_TRUE(reader.peek(2).ok());
  EXPECT_DEATH(reader.consume(3), "check failed");
}

}  // namespace
}  // namespace belljar::io
