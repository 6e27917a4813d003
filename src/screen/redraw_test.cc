// What is redrawn is the same screen, to the cell and to the mode, on a terminal in whatever state.
#include <gtest/gtest.h>

#include "screen/screen.h"
#include "screen/testing/random_output.h"

namespace belljar::screen {
namespace {

/// Ends whatever is under way, and what a redraw can't restore: the last glyph, and titles that were pushed.
constexpr std::string_view kEnd = "\x18\x1b]2;end\x1b\\";

Screen redrawn(const Screen& screen, std::size_t history = 0) {
  Screen twin(screen.size());
  twin.feed(
      as_bytes("\x1b[?1049h\x1b[2;2r\x1b[41mrubbish\x1b[?6h\x1b(0\x1b[>5u\x1b[4h\x1b[?7l\x1b[?1003h\x1b[3g"));
  twin.feed(screen.redraw(history));
  return twin;
}

TEST(Redraw, EqualsTheScreenAndGoesOnLikeIt) {
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    testing::RandomOutput output(seed);
    Size size{.rows = static_cast<std::uint16_t>(1 + output.below(12)),
              .columns = static_cast<std::uint16_t>(1 + output.below(40))};
    Screen screen(size, {.scrollback = 4000});
    for (auto rounds = output.below(4); rounds > 0; --rounds) {
      screen.feed(as_bytes(output.pieces(20)));
      screen.resize({.rows = static_cast<std::uint16_t>(1 + output.below(12)),
                     .columns = static_cast<std::uint16_t>(1 + output.below(40))});
    }
    screen.feed(as_bytes(output.pieces(60)));
    screen.feed(as_bytes(kEnd));
    auto twin = redrawn(screen, output.below(2) * 500);
    ASSERT_EQ(twin.dump(), screen.dump()) << "seed " << seed;
    auto more = output.pieces(30);
    for (auto* one : {&screen, &twin}) {
      one->feed(as_bytes(more));
      one->feed(as_bytes(kEnd));
    }
    ASSERT_EQ(twin.dump(), screen.dump()) << "seed " << seed << ", later";
  }
}

TEST(Redraw, PutsTheHistoryAboveTheScreen) {
  Screen screen({.rows = 4, .columns = 20});
  for (int n = 1; n <= 9; ++n)
    screen.feed(as_bytes("\x1b[3" + std::to_string(n % 8) + "mline " + std::to_string(n) + "\r\n"));
  auto twin = redrawn(screen, 1000);
  EXPECT_EQ(twin.dump(), screen.dump());
  auto tail = twin.scrollback().read(0, 10000);
  EXPECT_NE(plain_text(tail).find("line 5\nline 6\n"), std::string::npos) << plain_text(tail);
}

TEST(Redraw, FarewellLeavesAPlainTerminal) {
  for (const char* output : {"\x1b[?1049h\x1b[?1003;1006;2004;1004h\x1b[>4;2m\x1b[>5u\x1b[?25l\x1b[5 "
                             "q\x1b[2;3r\x1b[?6h\x1b(0\x1b[3g",
                             "text\x1b[?7l\x1b[4h\x1b[20h\x1b[41m\x1b[=7u\x1b=\x1b]11;#123456\x07"}) {
    Screen screen({.rows = 5, .columns = 30});
    screen.feed(as_bytes(output));
    screen.feed(screen.farewell());
    Screen fresh({.rows = 5, .columns = 30});
    if (screen.text()[0] == 't') fresh.feed(as_bytes("text\r\n"));
    EXPECT_EQ(screen.dump().substr(0, screen.dump().find("main saved")),
              fresh.dump().substr(0, fresh.dump().find("main saved")));
    EXPECT_EQ(screen.text(), fresh.text());
  }
}

TEST(Redraw, KnowsWhetherThereIsAnythingToReset) {
  auto plain_after = [](const char* output) {
    Screen screen({.rows = 5, .columns = 30});
    screen.feed(as_bytes(output));
    return screen.is_plain();
  };
  EXPECT_TRUE(
      plain_after("text\r\n\x1b[31mred\x1b[m\x1b[?1049hx\x1b[?1049l\x1b[>1u\x1b[<u\x1b[?2004h\x1b[?2004l"));
  for (const char* output :
       {"\x1b[31m", "\x1b[?1049h", "\x1b[>1u", "\x1b[?2004h", "\x1b[?25l", "\x1b[2;3r", "\x1b(0", "\x1b[3g",
        "\x1b]11;#123456\x07", "\x1b[?1000h", "\x1b[>4;1m", "\x1b[4h", "\x1b[2 q"})
    EXPECT_FALSE(plain_after(output)) << output + 1;
}

TEST(Redraw, ScrollsAwayWhatATerminalShowed) {
  Screen host({.rows = 3, .columns = 10});
  host.feed(as_bytes("one\r\ntwo\r\nthree"));
  host.feed(scroll_away(host.size()));
  EXPECT_EQ(host.scrollback().read(0, 100), "one\ntwo\nthree\n");
}

TEST(Redraw, TheLastResortResetsModes) {
  Screen host({.rows = 3, .columns = 10});
  host.feed(as_bytes("\x1b[31;44m\x1b[?1049h\x1b[?1003;1006;2004h\x1b[>1u\x1b[?25l\x1b[2;3r\x1b(0"));
  host.feed(last_resort());
  EXPECT_TRUE(host.is_plain());
}

}  // namespace
}  // namespace belljar::screen
