#include "screen/output_filter.h"

#include <gtest/gtest.h>

#include "screen/base64.h"
#include "screen/screen.h"
#include "screen/testing/random_output.h"

namespace belljar::screen {
namespace {

std::string filtered(OutputFilter& filter, std::string_view output) {
  Bytes shown;
  filter.feed(as_bytes(output), shown);
  return std::string(as_text(shown));
}

std::string filtered(std::string_view output, OutputPolicy policy = {}) {
  OutputFilter filter(policy);
  return filtered(filter, output);
}

TEST(OutputFilter, PassesWhatIsDrawn) {
  for (const char* output :
       {"plain text, 漢字, é and 👩‍👧\r\n\tmore\b\a",
        "\x1b[1;31mred\x1b[m\x1b[38;2;1;2;3m\x1b[4:3m\x1b[58:2::1:2:3m",
        "\x1b[H\x1b[2J\x1b[3J\x1b[10;20H\x1b[K\x1b[5X\x1b[2P\x1b[3@\x1b[2L\x1b[M\x1b[2S\x1b[T",
        "\x1b[?1049h\x1b[?25l\x1b[?2026h", "\x1b[?1002;1006h\x1b[?2004h\x1b[?1004h\x1b[?1h\x1b=",
        "\x1b[>1u\x1b[<u\x1b[=3;1u\x1b[>4;2m", "\x1b[3;10r\x1b[?6h\x1b[?7l\x1b[4h",
        "\x1b"
        "7\x1b"
        "8\x1bM\x1b(0qqq\x1b(B\x0e\x0f\x1b#8\x1b[!p\x1b"
        "c",
        "\x1b[2 q", "ab\x1b[7b"})
    EXPECT_EQ(filtered(output), output);
}

TEST(OutputFilter, NothingThatATerminalAnswersPasses) {
  for (const char* output : {"\x05",
                             "\x1b[c",
                             "\x1b[>c",
                             "\x1b[=c",
                             "\x1b[5n",
                             "\x1b[6n",
                             "\x1b[?6n",
                             "\x1b[?996n",
                             "\x1b[?2026$p",
                             "\x1b[4$p",
                             "\x1b[>q",
                             "\x1b[?u",
                             "\x1b[?4m",
                             "\x1b[x",
                             "\x1b[18t",
                             "\x1b[14t",
                             "\x1b[20t",
                             "\x1b[21t",
                             "\x1b[11t",
                             "\x1b[1;1;1;1;1;1*y",
                             "\x1bP$qm\x1b\\",
                             "\x1bP+q544e\x1b\\",
                             "\x1b]10;?\x07",
                             "\x1b]4;1;?\x1b\\",
                             "\x1b]52;c;?\x07",
                             "\x1b_Gi=1,a=q;AAAA\x1b\\",
                             "\x1bZ",
                             "\x1b]50;?\x07",
                             "\x1b[?1$r"})
    EXPECT_EQ(filtered(output), "") << output + 1;
}

TEST(OutputFilter, NothingThatReachesBeyondTheScreenPasses) {
  for (const char* output : {"\x1b]7;file:///etc\x07",
                             "\x1b]8;;file:///x\x07",
                             "\x1b]133;A\x07",
                             "\x1b]633;E;rm\x07",
                             "\x1b]1337;File=name=x:AAAA\x07",
                             "\x1b]9;7;calc.exe\x07",
                             "\x1b]9;6;macro\x07",
                             "\x1b]777;preexec\x07",
                             "\x1b]99;i=1:a=report;x\x07",
                             "\x1b]50;font\x07",
                             "\x1b]666;x\x07",
                             "\x1bPq~~\x1b\\",
                             "\x1bPtmux;\x1b\x1b]7;x\x07\x1b\\",
                             "\x1b_Gt=f;L2V0Yw==\x1b\\",
                             "\x1b^x\x1b\\",
                             "\x1bXx\x1b\\",
                             "\x1b[8;10;10t",
                             "\x1b[2t",
                             "\x1b[?3h",
                             "\x1b[?40h",
                             "\x1b[?69h",
                             "\x1b[?1001h",
                             "\x1b%@",
                             "\x1b F",
                             "\x1b l",
                             "\x1bN",
                             "\x1b*0",
                             "\x1b[5i",
                             "\x1b[?5i",
                             "\x1b[12l",
                             "\x1b[2h",
                             "\x1b[1;2'w",
                             "\x1b[?1;2;3S",
                             "\xc2\x9b"
                             "6n",
                             "\x1b[>2;1T"})
    EXPECT_EQ(filtered(output).find('\x1b'), std::string::npos) << output + 1 << " gave " << filtered(output);
}

TEST(OutputFilter, UnknownModesAreTakenOutOfALongerList) {
  EXPECT_EQ(filtered("\x1b[?25;69;2004h"), "\x1b[?25;2004h");
  EXPECT_EQ(filtered("\x1b[?47h"), "\x1b[?1047h");
}

TEST(OutputFilter, EightBitControlsAndBrokenCharactersAreNone) {
  EXPECT_EQ(filtered("a\x9b"
                     "31mb"),
            "a�31mb");
  EXPECT_EQ(filtered("a\xc2\x9d"
                     "0;x\x07"),
            "a0;x\a");
  EXPECT_EQ(filtered("\xe2\x82"), "");
  EXPECT_EQ(filtered("\xe2\x82z"), "�z");
}

TEST(OutputFilter, ControlsAmidASequenceComeBeforeIt) { EXPECT_EQ(filtered("\x1b[3\n1m"), "\n\x1b[31m"); }

TEST(OutputFilter, SequencesWithoutEndTakeBoundedMemoryAndPassNothing) {
  OutputFilter filter;
  Bytes shown;
  std::string part(1 << 16, 'A');
  filter.feed(as_bytes("\x1b]52;c;"), shown);
  for (int n = 0; n < 400; ++n)
    filter.feed(as_bytes(part), shown);
  filter.feed(as_bytes("\x07next"), shown);
  EXPECT_EQ(as_text(shown), "next");
  EXPECT_EQ(filtered("\x1b[" + std::string(100000, '1') + "H"), "\x1b[65535H");
  EXPECT_EQ(filtered("\x1b[" + std::string(100000, ';') + "H"), "");
}

TEST(OutputFilter, TextIsNotHeldBack) {
  OutputFilter filter;
  EXPECT_EQ(filtered(filter, "prompt> "), "prompt> ");
  EXPECT_EQ(filtered(filter, "x\x1b[3"), "x");
  EXPECT_EQ(filtered(filter, "1my\xe6\xbc"), "\x1b[31my");
  EXPECT_EQ(filtered(filter, "\xa2z"), "漢z");
}

TEST(OutputFilter, TheClipboardIsKeptApart) {
  OutputFilter filter;
  const std::string copy = "a\x1b]52;c;aGVsbG8=\x07z";
  const std::string passed = "\x1b]52;c;aGVsbG8=\x1b\\";
  EXPECT_EQ(filtered(filter, copy).find("52;"), std::string::npos);
  EXPECT_EQ(as_text(filter.take_clipboard()), passed);
  EXPECT_TRUE(filter.take_clipboard().empty());
  EXPECT_NE(filtered(copy, {.clipboard = Clipboard::on}).find(passed), std::string::npos);
  EXPECT_EQ(filtered(copy, {.clipboard = Clipboard::off}).find("52;"), std::string::npos);
}

TEST(OutputFilter, TheClipboardTakesCleanTextOfABoundedSize) {
  OutputPolicy on{.clipboard = Clipboard::on, .clipboard_bytes = 6000};
  auto copy = [&on](const std::string& text) {
    return filtered("\x1b]52;;" + encode_base64(text) + "\x07", on);
  };
  EXPECT_EQ(copy("two\nlines\t漢"), "\x1b]52;c;" + encode_base64("two\nlines\t漢") + "\x1b\\");
  EXPECT_EQ(copy("rm -r x\r\n\r\n"), copy("rm -r x"));
  EXPECT_EQ(copy("one\r\ntwo\rthree\n"), copy("one\ntwothree"));
  EXPECT_EQ(copy("\r\n"), "");
  EXPECT_NE(copy(std::string(6000, 'x')), "");
  EXPECT_EQ(copy(std::string(6001, 'x')), "");
  EXPECT_EQ(copy(std::string(9000, 'x')), "");
  EXPECT_EQ(copy("\x1b[201~rm"), "");
  EXPECT_EQ(copy("\x03"), "");
  EXPECT_EQ(copy("\xff"), "");
  EXPECT_EQ(filtered("\x1b]52;c;not base64!\x07", on), "");
  EXPECT_EQ(filtered("\x1b]52;p;aGk\x07", on), "\x1b]52;p;aGk=\x1b\\");
}

TEST(OutputFilter, TitlesAreCleanedAndTheirStackIsItsOwn) {
  EXPECT_EQ(filtered("\x1b]0;work\x07"), "\x1b]2;work\x1b\\");
  EXPECT_EQ(filtered("\x1b]2;a\xc2\x9b\nb\xff\x07"), "\x1b]2;ab\x1b\\");
  EXPECT_EQ(filtered("\x1b]2;" + std::string(2000, 'x') + "\x07"),
            "\x1b]2;" + std::string(256, 'x') + "\x1b\\");
  EXPECT_EQ(filtered("\x1b]2;one\x07\x1b[22;0t\x1b]2;two\x07\x1b[23;0t\x1b[23t"),
            "\x1b]2;one\x1b\\\x1b]2;two\x1b\\\x1b]2;one\x1b\\");
  EXPECT_EQ(filtered("\x1b]0;work\x07", {.titles = false}), "");
}

TEST(OutputFilter, NotificationsPassAsText) {
  EXPECT_EQ(filtered("\x1b]9;done\x07"), "\x1b]9;done\x1b\\");
  EXPECT_EQ(filtered("\x1b]9;4;1;50\x07"), "\x1b]9;4;1;50\x1b\\");
  EXPECT_EQ(filtered("\x1b]777;notify;a;b\x07"), "\x1b]777;notify;a;b\x1b\\");
  EXPECT_EQ(filtered("\x1b]99;i=1:d=0:p=title;hello\x1b\\"), "\x1b]99;i=1:d=0:p=title;hello\x1b\\");
  EXPECT_EQ(filtered("\x1b]9;done\x07\a", {.notifications = false}), "");
}

TEST(OutputFilter, LinesOnlyLeavesNothingThatOutlastsThem) {
  OutputPolicy lines{.clipboard = Clipboard::on, .lines_only = true};
  EXPECT_EQ(filtered("\x1b[1G\x1b[0K\x1b[32madded\x1b[m 5\r\n", lines),
            "\x1b[1G\x1b[0K\x1b[32madded\x1b[m 5\r\n");
  EXPECT_EQ(filtered("\x1b[?1000h\x1b[?1049h\x1b[2J\x1b[H\x1b[A\x1b[2;3r\x1b(0\x0e\x1b"
                     "c\x1b]2;x\x07\x1b]52;c;aGk=\x07\x1b[>1u\x1b[!p",
                     lines),
            "");
}

TEST(OutputFilter, ARepetitionRepeatsWhatWasShownLast) {
  EXPECT_EQ(filtered("a\x1b]7;x\x07\x1b[5b"), std::string("a\0", 2));
  EXPECT_EQ(filtered("a\x1b[60000b"), "a\x1b[1000b");
}

// The terminal that is shown what passes must be in the state that the model is in.
TEST(OutputFilter, WhatPassesDrawsTheSameScreen) {
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    testing::RandomOutput random(seed);
    auto output = random.pieces(80);
    Size size{.rows = static_cast<std::uint16_t>(1 + random.below(12)),
              .columns = static_cast<std::uint16_t>(1 + random.below(40))};
    Screen model(size);
    Screen host(size);
    OutputFilter filter;
    for (std::string_view rest = output; !rest.empty();) {
      auto part = rest.substr(0, 1 + random.below(20));
      rest.remove_prefix(part.size());
      model.feed(as_bytes(part));
      Bytes shown;
      filter.feed(as_bytes(part), shown);
      host.feed(shown);
    }
    ASSERT_EQ(host.dump(), model.dump()) << "seed " << seed;
    ASSERT_TRUE(host.take_answers().empty()) << "seed " << seed;
  }
}

TEST(OutputFilter, StylesOnlyIsTextLineEndsAndColors) {
  OutputFilter filter({.styles_only = true});
  Bytes shown;
  filter.feed(
      as_bytes("a\x1b[31mb\x1b[5Cc\x1b[Kd\x1b[6ne\x1b]2;t\x07\bf\tg\x0e\x07\r\n\x1b[?1049h\x1b(0h\x1b"),
      shown);
  std::string text(as_text(shown));
  std::erase(text, '\0');
  EXPECT_EQ(text, "a\x1b[31mbcdefg\r\nh");
}

}  // namespace
}  // namespace belljar::screen
