// What is redrawn is the same screen, to the cell and to the mode, on a terminal in whatever state.
#include <optional>

#include <gtest/gtest.h>

#include "screen/parser.h"
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

/// Does `view` show the part of `screen` that it has room for, and nothing else?
void expect_view(const Screen& view, const Screen& screen, const std::string& when) {
  auto [rows, columns] = view.size();
  auto cursor = screen.cursor();
  std::uint16_t first = cursor.row < rows ? 0 : static_cast<std::uint16_t>(cursor.row + 1 - rows);
  for (std::uint16_t row = 0; row < rows; ++row)
    for (std::uint16_t column = 0; column < columns; ++column) {
      auto from = static_cast<std::uint16_t>(first + row);
      bool inside = from < screen.size().rows && column < screen.size().columns;
      auto text = inside ? screen.text_at(from, column) : " ";
      // The right half of a wide glyph is empty; a left half alone has no room.
      bool cut = column + 1 == columns && inside && column + 1 < screen.size().columns &&
                 screen.text_at(from, static_cast<std::uint16_t>(column + 1)).empty();
      if (cut) continue;
      ASSERT_EQ(view.text_at(row, column), text) << when << ", row " << row << ", column " << column;
      auto style = inside ? screen.style_at(from, column) : Style{};
      ASSERT_TRUE(text == " " || view.style_at(row, column) == style) << when;
    }
  ASSERT_EQ(view.cursor().row + first, cursor.row) << when;
  ASSERT_EQ(view.alternate(), screen.alternate()) << when;
  ASSERT_EQ(view.brackets_paste(), screen.brackets_paste()) << when;
}

TEST(View, ShowsWhatThereIsRoomForAndLeadsBackToARedraw) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    testing::RandomOutput output(seed);
    auto size = [&output] {
      return Size{.rows = static_cast<std::uint16_t>(1 + output.below(12)),
                  .columns = static_cast<std::uint16_t>(1 + output.below(40))};
    };
    Screen screen(size(), {.scrollback = 4000});
    Screen view(size());
    view.feed(as_bytes("\x1b[?1049h\x1b[2;2r\x1b[41mrubbish\x1b[?6h\x1b(0\x1b[>5u\x1b[4h\x1b[?7l\x1b[3g"));
    std::optional<bool> alternate;
    for (int round = 0; round < 4; ++round) {
      screen.feed(as_bytes(output.pieces(30)));
      view.feed(screen.view(view.size(), alternate != screen.alternate()));
      alternate = screen.alternate();
      expect_view(view, screen, "seed " + std::to_string(seed) + ", round " + std::to_string(round));
      if (::testing::Test::HasFatalFailure()) return;
    }
    screen.feed(as_bytes(kEnd));
    view.resize(screen.size());
    view.feed(screen.redraw());
    ASSERT_EQ(view.dump(), screen.dump()) << "seed " << seed;
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

/// What a terminal reads that is neither text nor a line end nor a style.
struct Recorder final : ParserEvents {
  void ascii(std::string_view) override {}
  void character(char32_t) override {}
  void control(std::uint8_t code) override {
    if (code != '\n' && code != '\r') others.push_back("control " + std::to_string(code));
  }
  void escape(char intermediate, char final) override {
    others.push_back(std::string("escape ") + intermediate + final);
  }
  void sequence(const Sequence& sequence) override {
    if (sequence.signature() != signature(0, 0, 'm'))
      others.push_back(std::string("sequence ") + sequence.prefix + sequence.intermediate + sequence.final);
  }
  void command(std::string_view payload) override { others.push_back("command " + std::string(payload)); }
  void device_control(std::string_view) override { others.emplace_back("device control"); }
  std::vector<std::string> others;
};

std::vector<std::string> others_in(BytesView bytes) {
  Recorder recorder;
  Parser(kMostPayload).feed(bytes, recorder);
  return recorder.others;
}

/// A row of cells that take as many bytes as cells can: each another style, with the longest glyphs.
std::string longest_row(int columns, int plain) {
  std::string row(static_cast<std::size_t>(plain), '.');
  for (int n = plain; n < columns; ++n) {
    auto color = "2::" + std::to_string(100 + n % 100) + ":111:" + std::to_string(100 + n / 100);
    row += "\x1b[0;1;2;3;4:3;5;7;8;9;53;38:" + color + ";48:" + color + ";58:" + color + "m" + "e";
    for (int mark = 0; mark < 20; ++mark)
      row += "\u0301";
  }
  return row + "\x1b[m\r\n";
}

// What follows a row must never be read as the rest of a sequence that was cut in it: "[6n" would be a
// question that the host's terminal answers into the shell, "]52;…" its clipboard.
TEST(Redraw, NoRowIsCutWhateverItRendersTo) {
  for (int plain = 0; plain < 120; ++plain) {
    Screen screen({.rows = 2, .columns = 250});
    screen.feed(as_bytes(longest_row(250, plain) + "[6n\r\n" + longest_row(250, plain) +
                         "]52;c;Zm9v\r\nP\r\n\r\nend"));
    auto lines = screen.scrollback().tail(1 << 20);
    ASSERT_GT(lines.size(), 25'000U);
    EXPECT_EQ(others_in(as_bytes(lines)), std::vector<std::string>()) << plain;
    auto expected = others_in(screen.redraw());
    auto seen = others_in(screen.redraw(1 << 20));
    EXPECT_EQ(seen.size(), expected.size() + 2) << plain;  // two moves
    Screen host({.rows = 2, .columns = 250});
    host.feed(screen.redraw(1 << 20));
    EXPECT_TRUE(host.take_answers().empty()) << plain;
    EXPECT_NE(plain_text(lines).find("\n[6n\n"), std::string::npos) << plain;
  }
}

TEST(Redraw, HistoryBeginsWithAWholeLineOrNotAtAll) {
  Screen screen({.rows = 2, .columns = 250});
  auto row = longest_row(250, 0);
  row.resize(row.size() - 2);  // goes on in the next one
  for (int n = 0; n < 4; ++n)
    screen.feed(as_bytes(row));
  EXPECT_EQ(screen.scrollback().tail(1000), "");
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
