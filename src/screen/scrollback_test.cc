#include "screen/scrollback.h"

#include <gtest/gtest.h>

#include "screen/screen.h"

namespace belljar::screen {
namespace {

TEST(Scrollback, KeepsLinesWithTheirColors) {
  Screen screen({.rows = 2, .columns = 10});
  screen.feed(as_bytes("\x1b[31mred\x1b[m plain\r\n0123456789ab\r\n\r\n\r\n"));
  EXPECT_EQ(screen.scrollback().read(0, 1000), "\x1b[0;31mred\x1b[m plain\n0123456789ab\n\n");
  EXPECT_EQ(plain_text(screen.scrollback().read(0, 1000)), "red plain\n0123456789ab\n\n");
}

TEST(Scrollback, AFullScreenProgramLeavesNothingInIt) {
  Screen screen({.rows = 2, .columns = 10});
  screen.feed(as_bytes("\x1b[?1049h1\r\n2\r\n3\r\n4\x1b[?1049l"));
  screen.feed(as_bytes("\x1b[1;1r"));
  EXPECT_EQ(screen.scrollback().end(), 0U);
}

TEST(Scrollback, IsClearedWhenAskedFor) {
  Screen screen({.rows = 1, .columns = 10});
  screen.feed(as_bytes("1\r\n2\r\n\x1b[3J3\r\n"));
  EXPECT_EQ(screen.scrollback().read(0, 1000), "3\n");
  EXPECT_EQ(screen.scrollback().end(), 6U);
}

TEST(Scrollback, ReaderFollowsByPosition) {
  Scrollback lines(1 << 20);
  lines.append("one\n");
  auto position = lines.end();
  lines.append("two\n");
  lines.append("three\n");
  EXPECT_EQ(lines.read(position, 1000), "two\nthree\n");
  EXPECT_EQ(lines.read(position, 6), "two\n");
  EXPECT_EQ(lines.read(lines.end(), 1000), "");
  EXPECT_EQ(lines.read(0, 2), "on");
  EXPECT_EQ(lines.tail(8), "three\n");
  EXPECT_EQ(lines.tail(1000), "one\ntwo\nthree\n");
}

// A day of a busy agent is some hundred megabytes; what is kept of it is bounded.
TEST(Scrollback, ADayOfOutputTakesBoundedMemory) {
  constexpr std::size_t kBound = 1 << 20;
  Screen screen({.rows = 50, .columns = 120}, {.scrollback = kBound});
  std::string chunk;
  for (int n = 0; n < 400; ++n)
    chunk += "\x1b[3" + std::to_string(n % 8) + "mline " + std::to_string(n) + std::string(100, '.') +
             (n % 3 == 0 ? "e\xcc\x81\xcc\x80 漢字 👩‍👧" : "") + "\x1b[m\r\n" +
             (n % 50 == 0 ? "\r\n\r\n\r\n" : "");
  std::size_t fed = 0;
  for (; fed < (std::size_t{60} << 20); fed += chunk.size()) {
    screen.feed(as_bytes(chunk));
    ASSERT_LE(screen.scrollback().memory(), kBound + (64 << 10)) << "after " << fed;
  }
  EXPECT_GT(screen.scrollback().end(), fed / 2);
  EXPECT_EQ(screen.scrollback().read(0, 100).find('\x1b'), 0U);
}

TEST(Scrollback, EmptyLinesCostAByte) {
  Scrollback lines(100000);
  for (int n = 0; n < 1000000; ++n)
    lines.append("\n");
  EXPECT_LE(lines.memory(), 130000U);
}

}  // namespace
}  // namespace belljar::screen
