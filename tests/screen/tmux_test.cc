// The same output is fed to tmux and to a Screen: cells, styles, cursor and modes are the same afterwards.
// The streams were written by real programs (record.sh); some more stand below.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "screen/output_filter.h"
#include "screen/screen.h"

namespace belljar::screen {
namespace {

constexpr Size kSize{.rows = 24, .columns = 80};
/// Ends whatever is under way; a title tells when all before it has been drawn.
constexpr std::string_view kEnd = "\x18\x1b\\\x1b]2;drawn\x1b\\";

/// Stands where tmux tells nothing: behind the last glyph of a row it doesn't say what blanks look like.
constexpr std::string_view kUntold = "\xee\x80\x80";

/// The answer of a shell command.
std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  while (auto count = std::fread(buffer, 1, sizeof buffer, pipe))
    text.append(buffer, count);
  ::pclose(pipe);
  return text;
}

/// A tmux server of its own with one window.
class Tmux {
 public:
  Tmux() {
    directory_ = std::filesystem::temp_directory_path() / ("belljar-tmux-" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory_);
  }
  ~Tmux() {
    tmux("kill-server 2>/dev/null");
    std::filesystem::remove_all(directory_);
  }

  void show(std::string_view output) {
    auto file = directory_ / "stream";
    std::ofstream(file, std::ios::binary) << output << kEnd;
    tmux("-f /dev/null new-session -d -x " + std::to_string(kSize.columns) + " -y " +
         std::to_string(kSize.rows) + " \"stty raw -echo; cat '" + file.string() + "'; exec sleep 100\"");
    for (int tries = 0; tries < 400 && ask("#{pane_title}") != "drawn"; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  std::string ask(const std::string& format) {
    auto answer = tmux("display-message -p '" + format + "'");
    return answer.substr(0, answer.find('\n'));
  }
  /// Its rows, as text with SGR.
  std::string capture() { return tmux("capture-pane -p -e -N"); }

 private:
  std::string tmux(const std::string& arguments) {
    return output_of("LC_ALL=C.UTF-8 tmux -u -S '" + (directory_ / "socket").string() + "' " + arguments);
  }
  std::filesystem::path directory_;
};

/// What tmux captured, as a screen again.
Screen screen_of(const std::string& capture) {
  Screen screen(kSize);
  for (int row = 0; row < kSize.rows; ++row)
    for (int column = 0; column < kSize.columns; ++column)
      screen.feed(as_bytes(kUntold));
  screen.feed(as_bytes("\x1b)0\x1b[?7l"));  // line drawing comes as SO … SI
  std::istringstream lines(capture);
  std::string line;
  for (int row = 1; std::getline(lines, line) && row <= kSize.rows; ++row)
    screen.feed(as_bytes("\x1b[" + std::to_string(row) + ";1H" + line));
  return screen;
}

/// tmux draws dim and bold as programs ask, blanks of any foreground alike.
std::string cell(const Screen& screen, std::uint16_t row, std::uint16_t column) {
  auto style = screen.style_at(row, column);
  auto text = screen.text_at(row, column);
  if (text == " " && !style.reverse && style.underline == Underline::none && !style.strike)
    style.foreground = {};
  if (text == " ") style.bold = style.dim = style.italic = false;
  Screen one({.rows = 1, .columns = 4});
  std::string shown = text + " ";
  shown += std::to_string(static_cast<int>(style.foreground.kind())) + "/" +
           std::to_string(style.foreground.red()) + "," + std::to_string(style.foreground.green()) + "," +
           std::to_string(style.foreground.blue()) + " on " +
           std::to_string(static_cast<int>(style.background.kind())) + "/" +
           std::to_string(style.background.red()) + "," + std::to_string(style.background.green()) + "," +
           std::to_string(style.background.blue());
  for (bool flag :
       {style.bold, style.dim, style.italic, style.blink, style.reverse, style.hidden, style.strike})
    shown += flag ? " 1" : " 0";
  return shown + " underline " + std::to_string(static_cast<int>(style.underline));
}

void expect_same_cells(const Screen& ours, const Screen& theirs, const std::string& what) {
  int differences = 0;
  for (std::uint16_t row = 0; row < kSize.rows; ++row)
    for (std::uint16_t column = 0; column < kSize.columns && differences < 5; ++column)
      if (theirs.text_at(row, column) == kUntold) {
        EXPECT_EQ(ours.text_at(row, column), " ") << what << " at row " << row << ", column " << column;
      } else if (cell(ours, row, column) != cell(theirs, row, column)) {
        ++differences;
        ADD_FAILURE() << what << " at row " << row << ", column " << column
                      << "\n  ours:   " << cell(ours, row, column)
                      << "\n  theirs: " << cell(theirs, row, column);
      }
}

void compare(std::string_view output) {
  if (std::system("command -v tmux >/dev/null") != 0) GTEST_SKIP() << "no tmux on this host";
  Tmux tmux;
  tmux.show(output);
  ASSERT_EQ(tmux.ask("#{pane_title}"), "drawn");
  auto theirs = screen_of(tmux.capture());
  Screen ours(kSize);
  ours.feed(as_bytes(output));
  ours.feed(as_bytes(kEnd));
  expect_same_cells(ours, theirs, "the output");
  auto cursor = ours.cursor();
  auto column = cursor.column + (cursor.wraps_next ? 1 : 0);  // tmux counts the waiting column
  EXPECT_EQ(tmux.ask("#{cursor_y},#{cursor_x} visible #{cursor_flag} alternate #{alternate_on}"),
            std::to_string(cursor.row) + "," + std::to_string(column) + " visible " +
                (cursor.visible ? "1" : "0") + " alternate " + (ours.alternate() ? "1" : "0"));
  auto modes = tmux.ask(
      "region #{scroll_region_upper}-#{scroll_region_lower} insert #{insert_flag} keypad #{keypad_flag} "
      "cursor-keys #{keypad_cursor_flag} wrap #{wrap_flag} mouse #{mouse_standard_flag}#{mouse_button_flag}"
      "#{mouse_all_flag}#{mouse_sgr_flag}");
  auto dump = ours.dump();
  auto has = [&dump](const std::string& mode) {
    auto line = dump.substr(dump.find("\nmodes"));
    line = line.substr(1, line.find('\n', 1) - 1) + " ";
    return line.find(" " + mode) != std::string::npos ? "1" : "0";
  };
  auto region = dump.substr(dump.find("region ") + 7);
  auto top = region.substr(0, region.find('-'));
  auto bottom = std::to_string(std::atoi(region.c_str() + top.size() + 1) - 1);
  EXPECT_EQ(modes, "region " + top + "-" + bottom + " insert " + has("insert ") + " keypad " + has("66 ") +
                       " cursor-keys " + has("1 ") + " wrap " + has("7 ") + " mouse " + has("mouse 1000") +
                       has("mouse 1002") + has("mouse 1003") +
                       (dump.find("/1006 ") != std::string::npos ? "1" : "0"));

  // And what is attached to later is the same again, in tmux itself.
  auto redrawn = ours.redraw();
  Tmux another;
  another.show(as_text(redrawn));
  expect_same_cells(ours, screen_of(another.capture()), "the redraw");
  EXPECT_EQ(another.ask("#{cursor_y},#{cursor_x} #{cursor_flag} #{alternate_on}"),
            std::to_string(cursor.row) + "," + std::to_string(column) + (cursor.visible ? " 1 " : " 0 ") +
                (ours.alternate() ? "1" : "0"));
}

std::string stream(const std::string& name) {
  std::ifstream file(std::filesystem::path(STREAMS) / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Recorded : public ::testing::TestWithParam<const char*> {};

TEST_P(Recorded, IsDrawnAsTmuxDrawsIt) {
  auto output = stream(GetParam());
  ASSERT_FALSE(output.empty());
  compare(output);
}

TEST_P(Recorded, PassesTheFilterUnharmed) {
  auto output = stream(GetParam());
  OutputFilter filter;
  Bytes shown;
  filter.feed(as_bytes(output), shown);
  Screen direct(kSize);
  direct.feed(as_bytes(output));
  Screen filtered(kSize);
  filtered.feed(shown);
  EXPECT_EQ(filtered.dump(), direct.dump());
}

/// Half of the output is drawn, then somebody attaches.
TEST_P(Recorded, CanBeAttachedToInItsMidst) {
  auto output = stream(GetParam());
  for (std::size_t part = 1; part < 8; ++part) {
    auto cut = output.find('\x1b', output.size() * part / 8);
    if (cut == std::string::npos) continue;
    Screen running(kSize);
    running.feed(as_bytes(std::string_view(output).substr(0, cut)));
    running.feed(as_bytes(std::string_view("\0", 1)));
    Screen attached(kSize);
    attached.feed(running.redraw());
    running.feed(as_bytes(std::string_view(output).substr(cut)));
    attached.feed(as_bytes(std::string_view(output).substr(cut)));
    EXPECT_EQ(attached.dump(), running.dump()) << "attached at byte " << cut;
  }
}

INSTANTIATE_TEST_SUITE_P(Streams, Recorded,
                         ::testing::Values("vim", "vim-quit", "less", "htop", "top", "bash", "claude",
                                           "codex"),
                         [](const auto& stream) {
                           std::string name = stream.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Written, Colors) {
  std::string output;
  for (int n = 0; n < 256; ++n)
    output += "\x1b[38;5;" + std::to_string(n) + "mx\x1b[48;5;" + std::to_string(255 - n) + "my\x1b[m";
  for (int n = 0; n < 250; ++n)
    output += "\x1b[38;2;" + std::to_string(n) + ";" + std::to_string(255 - n) + ";7mt";
  for (int n = 0; n < 10; ++n)
    output += "\x1b[0;" + std::to_string(n) + "ma\x1b[4:3mb\x1b[9" + std::to_string(n % 8) + "mc";
  compare(output);
}

TEST(Written, GlyphsOfEveryWidth) {
  compare(
      "漢字e\xcc\x81 \xcc\x88 👩‍👩‍👧|❤|🇩🇪|👍🏽|각|ﬀ|ａ|\r\n│─┼ ←→ "
      "▁█ "
      "✓ "
      "• "
      "…\r\n012345678901234567890123456789012345678901234567890123456789012345678901234567"
      "漢字\r\nअनुच्छेद ไทย עברית العربية\r\n漢字漢字\x1b[5;2Hx\x1b[5;5H\x1b[P\x1b[5;9H");
}

TEST(Written, MarginsAndLines) {
  std::string output;
  for (int n = 1; n <= 30; ++n)
    output += "line " + std::to_string(n) + (n < 30 ? "\r\n" : "");
  output +=
      "\x1b[5;10r\x1b[10;1H\n\n\x1b[5;1H\x1bM\x1b[7;3H\x1b[2L\x1b[8;1H\x1b[M\x1b[2S\x1b[T\x1b[44m\x1b[20;"
      "5H\x1b[K\x1b[3;1H\x1b[1J"
      "\x1b[m\x1b[12;4H\x1b[3@\x1b[13;4H\x1b[2P\x1b[14;4H\x1b[5X\x1b[42m\x1b[15;4H\x1b[2P\x1b[16;4H\x1b[3@"
      "\x1b[m\x1b[?6h\x1b[3;3Hin";
  compare(output);
}

TEST(Written, LineDrawingAndTabs) {
  compare(
      "\x1b(0lqqqk\r\nx   x\r\nmqqqj\x1b(B\r\n\ta\tb\x1b[3g\r\n\x1b[5G\x1bH\x1b[10G\x1bH\r\tc\td\x1b[2Ze");
}

TEST(Written, WrappingAtTheEdge) {
  std::string full(80, 'w');
  compare(full + "\x1b[K" + full + "x\r\n" + full + "\x1b[J\x1b[3X\x1b[P\x1b[@\r\n" + full +
          "\ty\r\n\x1b[?7l" + full + "end\x1b[?7h\x1b[24;80Hq");
}

}  // namespace
}  // namespace belljar::screen
