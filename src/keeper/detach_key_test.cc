#include "keeper/detach_key.h"

#include <gtest/gtest.h>

namespace belljar::keeper {
namespace {

struct Typed {
  std::string passed;
  bool found = false;
};

/// Types the pieces one after another, until the key is found.
Typed type(std::initializer_list<std::string_view> pieces) {
  DetachKey key;
  Bytes passed;
  bool found = false;
  for (auto piece : pieces)
    if (!found) found = key.feed(as_bytes(piece), passed);
  return {std::string(as_text(passed)), found};
}

TEST(DetachKey, IsControlBackslashAndD) {
  auto typed = type({"ab", "\x1c", "dignored"});
  EXPECT_TRUE(typed.found);
  EXPECT_EQ(typed.passed, "ab");
  EXPECT_TRUE(type({"\x1c"
                    "d"})
                  .found);
  EXPECT_TRUE(type({"\x1b[92;5u", "d"}).found);
}

TEST(DetachKey, IsKnownInEverySpellingThatProgramsAskFor) {
  EXPECT_TRUE(type({"\x1b[27;5;92~", "d"}).found);
  EXPECT_TRUE(type({"\x1b[92;5:1u", "\x1b[92;5:3u", "\x1b[57442;1:3u", "d"}).found);
  EXPECT_TRUE(type({"\x1b[92;5u", "\x1b[92;5:3u\x1b[100;1:1u"}).found);
  EXPECT_EQ(type({"\x1b[92;5u", "\x1b[92;5:3u", "x"}).passed, "\x1b[92;5u\x1b[92;5:3ux");
  EXPECT_FALSE(type({"\x1b[92;5:3u", "d"}).found);
}

TEST(DetachKey, PassesALoneControlBackslashWithTheNextKey) {
  EXPECT_EQ(type({"\x1c"}).passed, "");
  EXPECT_EQ(type({"\x1c", "x"}).passed, "\x1cx");
  EXPECT_EQ(type({"\x1b[92;5u", "x"}).passed, "\x1b[92;5ux");
  auto twice = type({"\x1c\x1c", "d"});
  EXPECT_TRUE(twice.found);
  EXPECT_EQ(twice.passed, "\x1c");
  EXPECT_FALSE(type({"d\x1c", "e", "d"}).found);
}

TEST(DetachKey, IsNotFoundInWhatIsPasted) {
  auto pasted =
      type({"\x1b[200~\x1c"
            "d",
            "more\x1c", "d\x1b[20", "1~"});
  EXPECT_FALSE(pasted.found);
  EXPECT_EQ(pasted.passed,
            "\x1b[200~\x1c"
            "dmore\x1c"
            "d\x1b[201~");
  EXPECT_TRUE(type({"\x1b[200~x\x1b[201~",
                    "\x1c"
                    "d"})
                  .found);
  EXPECT_TRUE(type({"\x1b\x1b[200~x\x1b\x1b[201~",
                    "\x1c"
                    "d"})
                  .found);
}

TEST(DetachKey, PassesEverythingElseAtOnce) {
  EXPECT_EQ(type({"\x1b"}).passed, "\x1b");
  EXPECT_EQ(type({"\x1b[A\x1b[92;5"}).passed, "\x1b[A\x1b[92;5");
  EXPECT_EQ(type({"\x03\x1a\xc3\xa4"}).passed, "\x03\x1a\xc3\xa4");
}

}  // namespace
}  // namespace belljar::keeper
