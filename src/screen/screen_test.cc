// Each control function, on small screens.
#include "screen/screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::screen {
namespace {

using ::testing::HasSubstr;

constexpr Size kSmall{.rows = 4, .columns = 10};

Screen fed(std::string_view output, Size size = kSmall) {
  Screen screen(size);
  screen.feed(as_bytes(output));
  return screen;
}

/// The rows of what is shown, ends of rows cut, as `one/two/`.
std::string rows(const Screen& screen) {
  std::string text;
  for (std::uint16_t row = 0; row < screen.size().rows; ++row) {
    std::string line;
    for (std::uint16_t column = 0; column < screen.size().columns; ++column)
      line += screen.text_at(row, column);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "/";
  }
  return text;
}

std::string rows_of(std::string_view output, Size size = kSmall) { return rows(fed(output, size)); }

std::string position(const Screen& screen) {
  auto cursor = screen.cursor();
  return std::to_string(cursor.row) + "," + std::to_string(cursor.column) + (cursor.wraps_next ? "!" : "");
}
std::string position_after(std::string_view output) { return position(fed(output)); }

std::string answers_to(std::string_view output) {
  auto screen = fed(output);
  return std::string(as_text(screen.take_answers()));
}

TEST(Screen, PrintsWrapsAndScrolls) {
  EXPECT_EQ(rows_of("one\r\ntwo"), "one/two///");
  EXPECT_EQ(rows_of("0123456789ab"), "0123456789/ab///");
  EXPECT_EQ(rows_of("1\r\n2\r\n3\r\n4\r\n5"), "2/3/4/5/");
  EXPECT_EQ(position_after("0123456789"), "0,9!");
  EXPECT_EQ(position_after("0123456789\r"), "0,0");
  EXPECT_EQ(position_after("0123456789\b"), "0,8");
}

TEST(Screen, WithoutAutowrapTheLastColumnIsWrittenAgain) {
  EXPECT_EQ(rows_of("\x1b[?7l0123456789abc"), "012345678c////");
  EXPECT_EQ(position_after("\x1b[?7l0123456789abc"), "0,9");
  EXPECT_EQ(rows_of("\x1b[?7l012345678漢"), "012345678////");
}

TEST(Screen, DecodesUtf8AndReplacesWhatIsNone) {
  EXPECT_EQ(rows_of("é漢x"), "é漢x////");
  EXPECT_EQ(rows_of("a\xff\xc0\xaf"
                    "b"),
            "a���b////");                              // never a short one spelt long
  EXPECT_EQ(rows_of("\xed\xa0\x80z"), "���z////");     // surrogates
  EXPECT_EQ(rows_of("\xe2\x82\x1b[1mz"), "�z////");    // cut short by a sequence
  EXPECT_EQ(rows_of("\xf4\x90\x80\x80"), "����////");  // above U+10FFFF
  EXPECT_EQ(rows_of("a\xc2\x9b"
                    "5mb"),
            "a5mb////");  // C1 is no control
}

TEST(Screen, CountsColumnsAsTerminalsDo) {
  EXPECT_EQ(position_after("漢字"), "0,4");
  EXPECT_EQ(position_after("e\xcc\x81"), "0,1");
  EXPECT_EQ(position_after("👩‍👩‍👧x"), "0,3");
  EXPECT_EQ(position_after("👍🏽"), "0,4");
  EXPECT_EQ(position_after("a\xe2\x80\x8d"
                           "b"),
            "0,2");  // letters are not joined
  EXPECT_EQ(position_after("\xcc\x81x"), "0,1");
  EXPECT_EQ(fed("e\xcc\x81").text_at(0, 0), "e\xcc\x81");
  EXPECT_EQ(fed("👩‍👩‍👧").text_at(0, 0), "👩‍👩‍👧");
  EXPECT_EQ(fed("👩‍👩‍👧").text_at(0, 1), "");
}

TEST(Screen, WideGlyphsAreWholeOrGone) {
  EXPECT_EQ(rows_of("012345678漢"), "012345678/漢///");
  EXPECT_EQ(rows_of("漢字\x1b[1;2Hx"), " x字////");
  EXPECT_EQ(rows_of("漢字\x1b[1;3Hx"), "漢x////");
  EXPECT_EQ(rows_of("漢字\x1b[1;2H\x1b[K"), "////");
  EXPECT_EQ(rows_of("漢字\x1b[1;2H\x1b[P"), " 字////");
  EXPECT_EQ(rows_of("01234567漢\x1b[1;1H\x1b[@"), " 01234567////");
  EXPECT_EQ(rows_of("漢", {.rows = 2, .columns = 1}), "//");
}

TEST(Screen, MarksOnOneGlyphAreBounded) {
  std::string output = "e";
  for (int n = 0; n < 1000; ++n)
    output += "\xcc\x81";
  EXPECT_LE(fed(output).text_at(0, 0).size(), 32U);
}

TEST(Screen, MovesTheCursor) {
  EXPECT_EQ(position_after("\x1b[3;5H"), "2,4");
  EXPECT_EQ(position_after("\x1b[99;99H"), "3,9");
  EXPECT_EQ(position_after("\x1b[3;5H\x1b[A\x1b[2D"), "1,2");
  EXPECT_EQ(position_after("\x1b[B\x1b[2C"), "1,2");
  EXPECT_EQ(position_after("\x1b[3;5H\x1b[E"), "3,0");
  EXPECT_EQ(position_after("\x1b[3;5H\x1b[F"), "1,0");
  EXPECT_EQ(position_after("\x1b[3;5H\x1b[2G"), "2,1");
  EXPECT_EQ(position_after("\x1b[3;5H\x1b[2d"), "1,4");
  EXPECT_EQ(position_after("\x1b[2`\x1b[a\x1b[e"), "1,2");
  EXPECT_EQ(position_after("\x1b[4;1H\x1b"
                           "E"),
            "3,0");
  EXPECT_EQ(rows_of("a\x1bMb"), " b/a///");
  EXPECT_EQ(position_after("\x1b[20hab\n"), "1,0");
}

TEST(Screen, TabStopsAreSetAndCleared) {
  EXPECT_EQ(position_after("\t"), "0,8");
  EXPECT_EQ(position_after("\t\t"), "0,9");
  EXPECT_EQ(position_after("\x1b[4G\x1bH\r\t"), "0,3");
  EXPECT_EQ(position_after("\x1b[3g\t"), "0,9");
  EXPECT_EQ(position_after("\t\x1b[g\r\t"), "0,9");
  EXPECT_EQ(position_after("\x1b[9G\x1b[Z"), "0,0");
  EXPECT_EQ(position_after("\x1b[2I"), "0,9");
}

TEST(Screen, Erases) {
  const std::string full = "aaaa\r\nbbbb\r\ncccc\r\ndddd";
  EXPECT_EQ(rows_of(full + "\x1b[2;3H\x1b[J"), "aaaa/bb///");
  EXPECT_EQ(rows_of(full + "\x1b[2;3H\x1b[1J"), "/   b/cccc/dddd/");
  EXPECT_EQ(rows_of(full + "\x1b[2J"), "////");
  EXPECT_EQ(rows_of(full + "\x1b[2;3H\x1b[K"), "aaaa/bb/cccc/dddd/");
  EXPECT_EQ(rows_of(full + "\x1b[2;3H\x1b[1K"), "aaaa/   b/cccc/dddd/");
  EXPECT_EQ(rows_of(full + "\x1b[2;3H\x1b[2K"), "aaaa//cccc/dddd/");
  EXPECT_EQ(rows_of(full + "\x1b[2;2H\x1b[2X"), "aaaa/b  b/cccc/dddd/");
  EXPECT_EQ(fed("\x1b[44m\x1b[2J").style_at(3, 9).background, Color::indexed(4));
}

TEST(Screen, InsertsAndDeletes) {
  EXPECT_EQ(rows_of("abcd\x1b[1;2H\x1b[2@"), "a  bcd////");
  EXPECT_EQ(rows_of("abcd\x1b[1;2H\x1b[2P"), "ad////");
  EXPECT_EQ(rows_of("abcd\x1b[1;2H\x1b[4hXY"), "aXYbcd////");
  EXPECT_EQ(rows_of("0123456789\x1b[1;2H\x1b[99@"), "0////");
  EXPECT_EQ(rows_of("1\r\n2\r\n3\r\n4\x1b[2;1H\x1b[L"), "1//2/3/");
  EXPECT_EQ(rows_of("1\r\n2\r\n3\r\n4\x1b[2;1H\x1b[M"), "1/3/4//");
  EXPECT_EQ(rows_of("1\r\n2\r\n3\r\n4\x1b[S"), "2/3/4//");
  EXPECT_EQ(rows_of("1\r\n2\r\n3\r\n4\x1b[2T"), "//1/2/");
  EXPECT_EQ(rows_of("ab\x1b[3b"), "abbbb////");
  EXPECT_EQ(rows_of("ab\x1b[m\x1b[3b"), "ab////");
}

TEST(Screen, ScrollsWithinMargins) {
  const std::string full = "1\r\n2\r\n3\r\n4\x1b[2;3r";
  EXPECT_EQ(rows_of(full + "\x1b[3;1H\n"), "1/3//4/");
  EXPECT_EQ(rows_of(full + "\x1b[2;1H\x1bM"), "1//2/4/");
  EXPECT_EQ(rows_of(full + "\x1b[4;1H\nx"), "1/2/3/x/");
  EXPECT_EQ(position_after(full + "\x1b[2;1H\x1b[9B"), "2,0");
  EXPECT_EQ(position_after(full + "\x1b[?6h\x1b[2;2H"), "2,1");
  EXPECT_EQ(position_after(full + "\x1b[?6h\x1b[9;2H"), "2,1");
  EXPECT_EQ(position_after("\x1b[3;3r"), "0,0");  // one row is no region
}

TEST(Screen, SavesAndRestoresTheCursor) {
  EXPECT_EQ(position_after("\x1b[2;3H\x1b"
                           "7\x1b[H\x1b"
                           "8"),
            "1,2");
  EXPECT_EQ(position_after("\x1b[2;3H\x1b[s\x1b[H\x1b[u"), "1,2");
  auto screen =
      fed("\x1b[1;31m\x1b(0\x1b"
          "7\x1b[m\x1b(B\x1b"
          "8q");
  EXPECT_EQ(screen.text_at(0, 0), "─");
  EXPECT_TRUE(screen.style_at(0, 0).bold);
}

TEST(Screen, TheAlternateScreenIsItsOwn) {
  auto screen = fed("main\x1b[?1049h\x1b[Hother");
  EXPECT_TRUE(screen.alternate());
  EXPECT_EQ(rows(screen), "other////");
  EXPECT_EQ(screen.text(), "main\n\n\n\n");
  screen.feed(as_bytes("\x1b[?1049l"));
  EXPECT_EQ(rows(screen), "main////");
  EXPECT_EQ(position(screen), "0,4");
  EXPECT_EQ(rows_of("main\x1b[?47hx\x1b[?47l"), "main////");
  EXPECT_EQ(rows_of("\x1b[?1049hx\x1b[?1049l\x1b[?1049h"), "////");
}

TEST(Screen, DrawsLines) {
  EXPECT_EQ(rows_of("\x1b(0lqk\x1b(Bq"), "┌─┐q////");
  EXPECT_EQ(rows_of("\x1b)0q\x0eq\x0fq"), "q─q////");
}

TEST(Screen, ReadsStyles) {
  auto style = [](const std::string& output) { return fed(output + "x").style_at(0, 0); };
  EXPECT_TRUE(style("\x1b[1m").bold && style("\x1b[2m").dim && style("\x1b[3m").italic);
  EXPECT_TRUE(style("\x1b[7m").reverse && style("\x1b[9m").strike && style("\x1b[8m").hidden);
  EXPECT_TRUE(style("\x1b[5m").blink && style("\x1b[53m").overline);
  EXPECT_EQ(style("\x1b[4m").underline, Underline::single);
  EXPECT_EQ(style("\x1b[4:3m").underline, Underline::curly);
  EXPECT_EQ(style("\x1b[21m").underline, Underline::doubled);
  EXPECT_EQ(style("\x1b[4m\x1b[4:0m").underline, Underline::none);
  EXPECT_EQ(style("\x1b[31m").foreground, Color::indexed(1));
  EXPECT_EQ(style("\x1b[97;101m").foreground, Color::indexed(15));
  EXPECT_EQ(style("\x1b[97;101m").background, Color::indexed(9));
  EXPECT_EQ(style("\x1b[38;5;200m").foreground, Color::indexed(200));
  EXPECT_EQ(style("\x1b[38;2;1;2;3;1m").foreground, Color::direct(1, 2, 3));
  EXPECT_TRUE(style("\x1b[38;2;1;2;3;1m").bold);
  EXPECT_EQ(style("\x1b[48:2::1:2:3m").background, Color::direct(1, 2, 3));
  EXPECT_EQ(style("\x1b[48:2:1:2:3m").background, Color::direct(1, 2, 3));
  EXPECT_EQ(style("\x1b[58:5:9m").underline_color, Color::indexed(9));
  EXPECT_EQ(style("\x1b[1;31m\x1b[m"), Style{});
  EXPECT_EQ(style("\x1b[1;31m\x1b[0;4m"), (Style{.underline = Underline::single}));
  EXPECT_EQ(style("\x1b[38;5m"), (Style{.foreground = Color::indexed(0)}));
}

TEST(Screen, TitlesAreCleanAndBounded) {
  EXPECT_EQ(fed("\x1b]0;one\x07").title(), "one");
  EXPECT_EQ(fed("\x1b]2;a\xc2\x9b"
                "b\x01\xff"
                "c\x1b\\")
                .title(),
            "abc");
  EXPECT_EQ(fed("\x1b]2;" + std::string(3000, 'x') + "\x07").title().size(), 256U);
  EXPECT_EQ(fed("\x1b]2;one\x07\x1b[22t\x1b]2;two\x07\x1b[23t").title(), "one");
}

TEST(Screen, AnswersForItself) {
  EXPECT_EQ(answers_to("\x1b[c"), "\x1b[?62;22c");
  EXPECT_EQ(answers_to("\x1b[5n"), "\x1b[0n");
  EXPECT_EQ(answers_to("\x1b[2;3H\x1b[6n"), "\x1b[2;3R");
  EXPECT_EQ(answers_to("\x1b[2;3r\x1b[?6h\x1b[6n"), "\x1b[1;1R");
  EXPECT_EQ(answers_to("\x1b[?2026$p\x1b[?69$p"), "\x1b[?2026;2$y\x1b[?69;0$y");
  EXPECT_EQ(answers_to("\x1b[>5u\x1b[?u"), "\x1b[?5u");
  EXPECT_EQ(answers_to("\x1b[>4;2m\x1b[?4m"), "\x1b[>4;2m");
  EXPECT_EQ(answers_to("\x1b[18t"), "\x1b[8;4;10t");
  EXPECT_EQ(answers_to("\x1b]11;?\x07"), "\x1b]11;rgb:00/00/00\x1b\\");
  EXPECT_EQ(answers_to("\x1b]11;#123456\x07\x1b]11;?\x07"), "\x1b]11;rgb:12/34/56\x1b\\");
  EXPECT_EQ(answers_to("\x1b[1;4m\x1bP$qm\x1b\\"), "\x1bP1$r0;1;4m\x1b\\");
  EXPECT_EQ(answers_to("\x1bP+q544e\x1b\\"), "\x1bP0+r\x1b\\");
}

TEST(Screen, NeverSpeaksTheProgramsOwnWords) {
  EXPECT_EQ(answers_to("\x05\x1b]2;rm -rf\x07\x1b[21t\x1b[20t\x1b]52;c;?\x07\x1b[1;1;1;1;1;1*y\x1b[?1;1;0S"),
            "");
}

TEST(Screen, AnswersThatNobodyTakesAreBounded) {
  std::string output;
  for (int n = 0; n < 100000; ++n)
    output += "\x1b[c";
  EXPECT_LE(answers_to(output).size(), Limits{}.answers);
}

TEST(Screen, SequencesMayBeCutAnywhere) {
  const std::string output = "a\x1b[1;31mé\x1b]2;漢\x1b\\\x1b[2;2H👩‍👧\x1bP$qm\x1b\\";
  auto whole = fed(output);
  Screen pieces(kSmall);
  for (char one : output)
    pieces.feed(as_bytes({&one, 1}));
  EXPECT_EQ(pieces.dump(), whole.dump());
}

TEST(Screen, WhatIsCutOffByAnotherSequenceIsGone) {
  EXPECT_EQ(rows_of("\x1b[3\x1b[2Cx"), "  x////");
  EXPECT_EQ(rows_of("\x1b]2;title\x1b[2Cx"), "  x////");
  EXPECT_EQ(rows_of("\x1b[31\x18x"), "x////");
  EXPECT_EQ(rows_of("\x1b[3;\n2Hx"), "// x//");  // a control amid a sequence comes first, then it counts
  EXPECT_EQ(rows_of("\x1b_a string\x1b\\x\x1b^b\x1b\\y"), "xy////");
}

TEST(Screen, ResetsAllOrHalf) {
  EXPECT_EQ(fed("text\x1b[31m\x1b[?1049h\x1b[2;3r\x1b[?2004h\x1b[>3u\x1b[3g\x1b"
                "c")
                .dump(),
            fed("").dump());
  auto screen = fed("text\x1b[31m\x1b[2;3r\x1b[?25l\x1b[4h\x1b[!p");
  EXPECT_EQ(rows(screen), "text////");
  EXPECT_THAT(screen.dump(), HasSubstr("region 0-4\n"));
  EXPECT_TRUE(screen.cursor().visible);
}

TEST(Screen, ResizesAndKeepsTheCursorInSight) {
  auto screen = fed("1\r\n2\r\n3\r\n4");
  screen.resize({.rows = 2, .columns = 10});
  EXPECT_EQ(rows(screen), "3/4/");
  EXPECT_EQ(position(screen), "1,1");
  EXPECT_EQ(plain_text(screen.scrollback().read(0, 100)), "1\n2\n");
  screen.resize({.rows = 0, .columns = 60000});
  EXPECT_EQ(screen.size(), (Size{.rows = 1, .columns = kMostColumns}));
  auto short_one = fed("1\r\n2");
  short_one.resize({.rows = 2, .columns = 10});
  EXPECT_EQ(rows(short_one), "1/2/");
}

TEST(Screen, NothingIsJoinedOverAResize) {
  auto screen = fed("x\r\n👩\xe2\x80\x8d");
  screen.resize({.rows = 4, .columns = 9});
  screen.feed(as_bytes("👧"));
  EXPECT_EQ(screen.text_at(1, 2), "👧");
}

TEST(Screen, ModesThatTheKeeperAsksFor) {
  EXPECT_TRUE(fed("\x1b[?2004h").brackets_paste());
  EXPECT_TRUE(fed("\x1b[?2026h").drawing());
  EXPECT_FALSE(fed("\x1b[?2026h\x1b[?2026l").drawing());
  EXPECT_EQ(fed("\x1b[5 q\x1b[?25l").cursor().shape, 5);
  EXPECT_FALSE(fed("\x1b[?25l").cursor().visible);
}

}  // namespace
}  // namespace belljar::screen
