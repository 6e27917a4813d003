// Output of a program that knows terminals and means no good: known and unknown sequences, with any values,
// text of every width, in an order that no program would choose.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace belljar::screen::testing {

class RandomOutput {
 public:
  explicit RandomOutput(std::uint32_t seed) : random_(seed) {}

  std::string pieces(int count) {
    std::string text;
    while (count-- > 0)
      text += piece();
    return text;
  }

  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_()) % end; }

 private:
  std::string piece() {
    switch (below(9)) {
      case 0:
      case 1:
        return letters();
      case 2:
        return pick(kGlyphs);
      case 3:
        return pick(kControls);
      case 4:
        return "\x1b[" + values() + std::string(1, kFinals[below(sizeof kFinals - 1)]);
      case 5:
        return "\x1b[" + values() + "m";
      case 6:
        return pick(kModes);
      case 7:
        return pick(kStrings);
      default:
        return below(8) == 0 ? std::string(1, static_cast<char>(below(256))) : pick(kEscapes);
    }
  }

  std::string letters() {
    std::string text;
    for (auto count = 1 + below(30); count > 0; --count)
      text += static_cast<char>(' ' + below(95));
    return text;
  }

  std::string values() {
    std::string text;
    for (auto count = below(4); count > 0; --count) {
      auto kind = below(8);
      text += kind < 5   ? std::to_string(below(12))
              : kind < 6 ? std::to_string(below(110))
              : kind < 7 ? ""
                         : "70000";
      if (count > 1) text += below(6) == 0 ? ':' : ';';
    }
    return text;
  }

  template <std::size_t count>
  std::string pick(const std::string (&all)[count]) {
    return all[below(count)];
  }

  static constexpr char kFinals[] = "@ABCDEFGHIJKLMPSTXZ`abcdefghnrsu";
  inline static const std::string kGlyphs[] = {"漢字",
                                               "é",
                                               "e\xcc\x81",
                                               "\xcc\x88",
                                               "👨‍👩‍👧",
                                               "👍🏽",
                                               "❤\xef\xb8\x8f",
                                               "│─┼",
                                               "\xe2\x80\x8b",
                                               "각",
                                               "ﬀ",
                                               "\xff",
                                               "\xc2\x9b",
                                               "\xe2\x82",
                                               "👩\xe2\x80\x8d",
                                               "क्ष",
                                               "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa"};
  inline static const std::string kControls[] = {
      "\r", "\n", "\r\n", "\t", "\b", "\v", "\x0e", "\x0f", "\x07", "\x05", std::string(1, '\0')};
  inline static const std::string kModes[] = {
      "\x1b[?1049h", "\x1b[?1049l", "\x1b[?47h",     "\x1b[?1047l",      "\x1b[?6h",
      "\x1b[?6l",    "\x1b[?7l",    "\x1b[?7h",      "\x1b[4h",          "\x1b[4l",
      "\x1b[20h",    "\x1b[20l",    "\x1b[?25l",     "\x1b[?25h",        "\x1b[?1000;1006h",
      "\x1b[?1003l", "\x1b[?2004h", "\x1b[?2026h",   "\x1b[?2026l",      "\x1b[?1;5;12;66;69;1004;1007;2027h",
      "\x1b[>1u",    "\x1b[=3;2u",  "\x1b[<2u",      "\x1b[>4;2m",       "\x1b[>4m",
      "\x1b[4 q",    "\x1b[!p",     "\x1b[?1048h",   "\x1b[?1048l",      "\x1b[2;5r",
      "\x1b[r",      "\x1b[3;9r",   "\x1b[48;5;17m", "\x1b[38;2;1;2;3m", "\x1b[4:3;58:2::9:8:7m",
      "\x1b[m"};
  inline static const std::string kStrings[] = {
      "\x1b]0;title\x07",     "\x1b]2;other\x1b\\",   "\x1b]52;c;aGk=\x07", "\x1b]52;c;?\x07",
      "\x1b]8;;http://x\x07", "\x1b]4;1;#123456\x07", "\x1b]104\x07",       "\x1b]11;rgb:1/22/3333\x1b\\",
      "\x1b]111\x07",         "\x1b]10;?\x07",        "\x1bPq#0~\x1b\\",    "\x1b_Gx\x1b\\",
      "\x1b]9;hello\x07",     "\x1b]1337;File=x\x07", "\x1b]0;cut\x18",     "\x1b]7;file://x\x1bM"};
  inline static const std::string kEscapes[] = {
      "\x1b"
      "7",
      "\x1b"
      "8",
      "\x1b=",
      "\x1b>",
      "\x1b"
      "D",
      "\x1b"
      "E",
      "\x1bH",
      "\x1bM",
      "\x1b(0",
      "\x1b(B",
      "\x1b)0",
      "\x1b#8",
      "\x1b"
      "c",
      "\x1b%@",
      "\x1bZ",
      "\x1b[5",
      "\x1b[3g",
      "\x1b[22t",
      "\x1b[23t",
      "\x1b[2J"};

  std::mt19937 random_;
};

}  // namespace belljar::screen::testing
