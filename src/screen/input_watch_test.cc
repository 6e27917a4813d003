#include "screen/input_watch.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace belljar::screen {
namespace {

using namespace std::string_literals;

/// In one piece, and cut at every byte: the same, or the test fails.
bool acts(const std::string& bytes) {
  InputWatch whole;
  bool acted = whole.feed(as_bytes(bytes));
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    InputWatch parts;
    bool first = parts.feed(as_bytes(std::string_view(bytes).substr(0, cut)));
    bool second = parts.feed(as_bytes(std::string_view(bytes).substr(cut)));
    EXPECT_EQ(first || second, acted) << ::testing::PrintToString(bytes) << " cut at " << cut;
  }
  return acted;
}

TEST(InputWatch, KeysPastesAndButtonPressesAreTheUsers) {
  for (const char* bytes : {"y",
                            "\r",
                            "\x03",
                            "é",
                            "\x1b\x1b",
                            "\x1bx",
                            "\x1bOP",
                            "\x1b[A",
                            "\x1b[1;5D",
                            "\x1b[3~",
                            "\x1b[[A",
                            "\x1b[Z",
                            "\x1b[97;5u",
                            "\x1b[27;5;9~",
                            "\x1b[200~text\x1b[201~",
                            "\x1b[<0;4;5M",
                            "\x1b[<2;4;5M",
                            "\x1b[<16;4;5M",
                            "\x1b[32;4;5M",
                            "\x1b[M !!",
                            "\x1b[M\"\xc4\x80!",
                            "\x1b[I\x1b[Iy",
                            "\x1b\x1b[I"})
    EXPECT_TRUE(acts(bytes)) << ::testing::PrintToString(bytes);
}

TEST(InputWatch, ReportsOfTheTerminalAreNot) {
  for (const char* bytes : {"\x1b[I",
                            "\x1b[O",
                            "\x1b[I\x1b[O\x1b[I",
                            "\x1b[<35;4;5M",
                            "\x1b[<32;4;5M",
                            "\x1b[<0;4;5m",
                            "\x1b[<64;4;5M",
                            "\x1b[<51;400;500M",
                            "\x1b[67;4;5M",
                            "\x1b[64;4;5M",
                            "\x1b[35;4;5M",
                            "\x1b[MC!!",
                            "\x1b[M@!!",
                            "\x1b[M#!!",
                            "\x1b[MC\xc4\x80\xc5\x81",
                            "\x1b[MC!\xc5\x81\x1b[MC\xc4\x80!",
                            "\x1b[MC\xc5\xb0",
                            "\x1b[MC\xff\xfe",
                            "\x1b[MC\xc5\xc6\x1b[I",
                            "\x1b[?62;22c",
                            "\x1b[0n",
                            "\x1b[?997;1n",
                            "\x1b[?1u",
                            "\x1b[48;1;2;3;4t",
                            "\x1b["})
    EXPECT_FALSE(acts(bytes)) << ::testing::PrintToString(bytes);
}

}  // namespace
}  // namespace belljar::screen
