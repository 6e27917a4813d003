#include "keeper/shared_terminal.h"

#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "io/fd_stream.h"
#include "keeper/protocol.h"
#include "rt/loop.h"
#include "rt/nursery.h"
#include "screen/screen.h"

namespace belljar::keeper {
namespace {

constexpr jar::TerminalSize kSize{.rows = 10, .columns = 40};

/// A terminal with a program's side, in raw mode; the test is the program.
class Bench {
 public:
  Bench() : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    CHECK(::grantpt(master_.get()) == 0 && ::unlockpt(master_.get()) == 0);
    char name[64];
    CHECK(::ptsname_r(master_.get(), name, sizeof name) == 0);
    os::Fd slave(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    termios settings{};
    CHECK(::tcgetattr(slave.get(), &settings) == 0);
    ::cfmakeraw(&settings);
    CHECK(::tcsetattr(slave.get(), TCSANOW, &settings) == 0);
    program_ = io::open_fd_stream(std::move(slave)).value();
    terminal_ = SharedTerminal::open(std::move(master_), kSize, [this](jar::TerminalSize size) {
                  told_size_ = size;
                }).value();
    carrying_.start([this] { return terminal_->carry_output(); });
    carrying_.start([this] { return terminal_->carry_input(); });
  }
  ~Bench() {
    for (auto& viewer : viewers_)
      viewer->leave();
    carrying_.cancel();
    (void)carrying_.join();
  }

  std::shared_ptr<Viewer> attach(bool from_start, jar::TerminalSize size = kSize) {
    viewers_.push_back(terminal_->attach(size, from_start));
    return viewers_.back();
  }
  void write(std::string_view text) { CHECK(program_->write(as_bytes(text)).ok()); }
  void end_program() { program_.reset(); }
  /// What the program reads next, `count` bytes of it.
  std::string read(std::size_t count) {
    std::string text;
    Bytes buffer(1 << 16);
    while (text.size() < count) {
      auto got = program_->read_some(buffer);
      CHECK(got.ok() && *got > 0);
      text += as_text(BytesView(buffer).first(*got));
    }
    return text;
  }
  SharedTerminal& terminal() { return *terminal_; }
  jar::TerminalSize told_size() const { return told_size_; }

 private:
  os::Fd master_;
  std::unique_ptr<io::Stream> program_;
  std::unique_ptr<SharedTerminal> terminal_;
  std::vector<std::shared_ptr<Viewer>> viewers_;
  jar::TerminalSize told_size_;
  rt::Nursery carrying_;
};

/// The terminal of a host, fed by a viewer.
class Host {
 public:
  explicit Host(jar::TerminalSize size = kSize)
      : screen_({.rows = size.rows, .columns = size.columns}, {.scrollback = 1 << 20}) {}

  /// Until it shows `text`.
  void see(Viewer& viewer, std::string_view text) {
    while (screen_.dump().find(text) == std::string::npos && take(viewer)) {
    }
    EXPECT_NE(screen_.dump().find(text), std::string::npos) << screen_.dump();
  }
  void see_all(Viewer& viewer) {
    while (take(viewer)) {
    }
  }
  bool take(Viewer& viewer) {
    auto bytes = viewer.next();
    if (!bytes.ok() || !*bytes) return false;
    all_ += as_text(**bytes);
    screen_.feed(**bytes);
    return true;
  }
  screen::Screen& screen() { return screen_; }
  const std::string& all() const { return all_; }

 private:
  screen::Screen screen_;
  std::string all_;
};

void in_loop(const std::function<void()>& body) {
  rt::Loop loop;
  ASSERT_TRUE(loop.run([&]() -> Result<void> {
                    body();
                    return {};
                  })
                  .ok());
}

TEST(SharedTerminal, AStarterSeesTheOutputItselfAndNoMore) {
  in_loop([] {
    Bench bench;
    auto viewer = bench.attach(true);
    bench.write("plain \x1b[31mred\x1b[m\r\n");
    Host host;
    host.see(*viewer, "red");
    bench.end_program();
    host.see_all(*viewer);
    EXPECT_EQ(host.all(), "plain \x1b[31mred\x1b[m\r\n");
  });
}

TEST(SharedTerminal, WhoAttachesSeesTheScreenToTheCell) {
  in_loop([] {
    Bench bench;
    auto starter = bench.attach(true);
    Host first;
    bench.write(
        "main\r\n\x1b[?1049h\x1b[H\x1b[44mfull\x1b[m\x1b[5;5H漢字\x1b[?2004h\x1b[?1002;1006h\x1b[2;9r\x1b[7;"
        "3H\x1b[1mx");
    first.see(*starter, "{0;1m}x");
    auto second = bench.attach(false);
    Host host;
    host.screen().feed(as_bytes("the user's own\r\n"));
    host.see(*second, "{0;1m}x");
    EXPECT_EQ(host.screen().dump(), bench.terminal().screen().dump());
    EXPECT_NE(host.screen().scrollback().read(0, 1000).find("the user's own"), std::string::npos);
    bench.write(" and more\x1b[?1049l");
    while (host.screen().alternate() && host.take(*second)) {
    }
    EXPECT_EQ(host.screen().dump(), bench.terminal().screen().dump());
  });
}

TEST(SharedTerminal, WhoLeavesGetsAPlainTerminalBack) {
  in_loop([] {
    Bench bench;
    auto viewer = bench.attach(false);
    Host host;
    bench.write("line\r\n\x1b[?1049h\x1b[?1003;1006;2004h\x1b[>1u\x1b[?25l\x1b[31mfull screen");
    host.see(*viewer, "full screen");
    viewer->send_away("");
    host.see_all(*viewer);
    EXPECT_TRUE(host.screen().is_plain()) << host.screen().dump();
    EXPECT_EQ(host.screen().text().substr(0, 5), "line\n");
    EXPECT_EQ(host.screen().cursor().row, 1);
  });
}

TEST(SharedTerminal, AProgramThatIsKilledLeavesNoModesBehind) {
  in_loop([] {
    Bench bench;
    auto viewer = bench.attach(true);
    Host host;
    bench.write("before\r\n\x1b[?1049h\x1b[?1000h\x1b[?25lfull");
    host.see(*viewer, "full");
    bench.end_program();
    host.see_all(*viewer);
    EXPECT_TRUE(host.screen().is_plain()) << host.screen().dump();
  });
}

TEST(SharedTerminal, QuestionsAreAnsweredWithAndWithoutViewers) {
  in_loop([] {
    Bench bench;
    bench.write("\x1b[6n");
    EXPECT_EQ(bench.read(6), "\x1b[1;1R");
    auto viewer = bench.attach(false);
    Host host;
    bench.write("abc\x1b[6n\x1b[c");
    EXPECT_EQ(bench.read(6 + 9), "\x1b[1;4R\x1b[?62;22c");
    host.see(*viewer, "abc");
    EXPECT_TRUE(host.screen().take_answers().empty());
  });
}

// A program that knows its row draws by rows; the starter's terminal, whose rows were others, follows.
TEST(SharedTerminal, AStarterComesIntoStepWhenTheProgramAsksForItsRow) {
  in_loop([] {
    Bench bench;
    auto viewer = bench.attach(true);
    Host host;
    host.screen().feed(as_bytes("$ one\r\n$ two\r\n$ belljar run"));
    bench.write("\x1b[6n");
    EXPECT_EQ(bench.read(6), "\x1b[1;1R");
    bench.write("\x1b[2;1Hsecond row");
    host.see(*viewer, "second row");
    EXPECT_EQ(host.screen().dump(), bench.terminal().screen().dump());
    EXPECT_NE(host.screen().scrollback().read(0, 1000).find("belljar run"), std::string::npos);
  });
}

TEST(SharedTerminal, TheLatestSizeCountsAndAllInStepSeeIt) {
  in_loop([] {
    Bench bench;
    auto one = bench.attach(false);
    Host host;
    bench.write("text");
    host.see(*one, "text");
    auto two = bench.attach(false, {.rows = 20, .columns = 60});
    two->resize({.rows = 20, .columns = 60});
    EXPECT_EQ(bench.told_size().columns, 60);
    Host large({.rows = 20, .columns = 60});
    large.see(*two, "text");
    EXPECT_EQ(large.screen().dump(), bench.terminal().screen().dump());
    one->type(as_bytes("k"));
    EXPECT_EQ(bench.told_size().columns, 40);
    EXPECT_EQ(bench.read(1), "k");
    bench.write(" end");
    host.see(*one, "text end");
    EXPECT_EQ(host.screen().dump(), bench.terminal().screen().dump());
  });
}

/// The first `rows` rows of a terminal as text.
std::string top_of(const screen::Screen& screen, std::uint16_t rows) {
  auto text = screen.text();
  std::size_t end = 0;
  for (; rows > 0; --rows)
    end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

// Output is for one size: on a terminal of more rows it would not scroll, on a narrower one it would wrap.
TEST(SharedTerminal, WhoIsOfAnotherSizeSeesWhatThereIsRoomFor) {
  in_loop([] {
    Bench bench;
    auto one = bench.attach(false);
    auto large = bench.attach(false, {.rows = 20, .columns = 60});
    auto small = bench.attach(false, {.rows = 4, .columns = 10});
    Host of_one;
    Host of_large({.rows = 20, .columns = 60});
    Host of_small({.rows = 4, .columns = 10});
    for (int n = 1; n <= 15; ++n)
      bench.write("line " + std::to_string(n) + " of some length\r\n");
    bench.write("\x1b[3;1Hhere\x1b[10;1Hlast");
    of_one.see(*one, "last");
    of_large.see(*large, "last");
    of_small.see(*small, "last");
    EXPECT_EQ(of_one.screen().dump(), bench.terminal().screen().dump());
    EXPECT_EQ(top_of(of_large.screen(), kSize.rows), of_one.screen().text());
    EXPECT_EQ(of_large.screen().cursor().row, of_one.screen().cursor().row);
    EXPECT_EQ(of_small.screen().text(), "line 13 of\nline 14 of\nline 15 of\nlast\n");
    // Who types has the size, and all of it.
    small->type(as_bytes("x"));
    EXPECT_EQ(bench.told_size().rows, 4);
    bench.write("\x1b[Htyped");
    of_small.see(*small, "typed");
    of_one.see(*one, "typed");
    of_large.see(*large, "typed");
    EXPECT_EQ(of_small.screen().dump(), bench.terminal().screen().dump());
    EXPECT_EQ(top_of(of_large.screen(), 4), of_small.screen().text());
    EXPECT_EQ(top_of(of_one.screen(), 4), of_small.screen().text());
  });
}

TEST(SharedTerminal, AViewerThatDoesNotTakeSeesTheScreenLater) {
  in_loop([] {
    Bench bench;
    auto slow = bench.attach(true);
    auto quick = bench.attach(true);
    rt::Nursery reading;
    Host host;
    reading.start([&]() -> Result<void> {
      host.see(*quick, "the end");
      return {};
    });
    std::string lines;
    for (int n = 0; n < 100000; ++n)
      lines += "line " + std::to_string(n) + " of many\r\n";
    bench.write(lines + "the end");
    (void)reading.join();
    Host late;
    late.see(*slow, "the end");
    EXPECT_EQ(late.screen().dump(), bench.terminal().screen().dump());
    EXPECT_LT(late.all().size(), 4U << 20);
  });
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t size = 0;
  std::size_t resident = 0;
  file >> size >> resident;
  return resident * 4096;
}

// What a busy agent writes in a day, in a minute: nothing of it stays but the screen and a bounded
// scrollback.
TEST(SharedTerminal, ADayOfOutputTakesBoundedMemory) {
  in_loop([] {
    Bench bench;
    auto viewer = bench.attach(true);
    Host host;
    rt::Nursery reading;
    reading.start([&]() -> Result<void> {
      while (auto bytes = TRY(viewer->next())) {
      }
      return {};
    });
    std::string chunk;
    for (int n = 0; n < 300; ++n)
      chunk += "\x1b[2K\r\x1b[3" + std::to_string(n % 8) + "m✻ Working… " + std::to_string(n) +
               "\x1b[m and what it says about it, at some length\r\n\x1b]0;title " + std::to_string(n) +
               "\x07" + (n % 50 == 0 ? "\x1b[?1049h\x1b[2J\x1b[Hfull\x1b[?1049l" : "");
    std::size_t written = 0;
    for (; written < (8U << 20); written += chunk.size())
      bench.write(chunk);
    auto before = resident_bytes();
    for (; written < (64U << 20); written += chunk.size())
      bench.write(chunk);
#ifndef __SANITIZE_ADDRESS__  // which keeps for a while what was freed
    EXPECT_LT(resident_bytes(), before + (4U << 20));
#else
    (void)before;
#endif
    EXPECT_LE(bench.terminal().screen().scrollback().memory(), (4U << 20) + (64U << 10));
    viewer->send_away("");
    (void)reading.join();
  });
}

TEST(SharedTerminal, TheClipboardIsSetOnlyWhereTheUserDidSomething) {
  in_loop([] {
    Bench bench;
    auto typing = bench.attach(true);
    auto watching = bench.attach(true);
    const std::string copy = "\x1b]52;c;aGVsbG8=\x07";
    watching->type(as_bytes("\x1b[I\x1b[<35;4;5M\x1b"));
    watching->type(as_bytes("[O"));
    bench.write(copy + "first");
    Host host;
    Host other;
    host.see(*typing, "first");
    other.see(*watching, "first");
    EXPECT_EQ((host.all() + other.all()).find("52;"), std::string::npos);
    typing->type(as_bytes("y"));
    bench.write(copy + "second");
    host.see(*typing, "second");
    other.see(*watching, "second");
    EXPECT_NE(host.all().find("\x1b]52;c;aGVsbG8=\x1b\\"), std::string::npos);
    EXPECT_EQ(other.all().find("52;"), std::string::npos);
  });
}

// Terminals paste an image as its path or its bytes between the marks; whatever it is comes through whole.
TEST(SharedTerminal, PastesComeThroughWhole) {
  in_loop([] {
    Bench bench;
    auto viewer = bench.attach(true);
    std::string paste = "\x1b[200~/tmp/image 1.png\r";
    for (unsigned n = 0; n < 700000; ++n)
      paste += static_cast<char>(n * 7919 % 256);
    paste += "\x1b[201~";
    for (std::size_t at = 0; at < paste.size(); at += kMaxPiece)
      viewer->type(as_bytes(std::string_view(paste).substr(at, kMaxPiece)));
    EXPECT_TRUE(bench.read(paste.size()) == paste);
  });
}

}  // namespace
}  // namespace belljar::keeper
