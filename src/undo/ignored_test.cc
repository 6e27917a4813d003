#include "undo/ignored.h"

#include <string>

#include <gtest/gtest.h>

namespace belljar::undo {
namespace {

TEST(Glob, AsGitHasIt) {
  EXPECT_TRUE(matches_glob("*.bin", "a.bin"));
  EXPECT_FALSE(matches_glob("*.bin", "a.bin.txt"));
  EXPECT_FALSE(matches_glob("a*c", "ab/c"));
  EXPECT_TRUE(matches_glob("a?c", "abc"));
  EXPECT_FALSE(matches_glob("a?c", "a/c"));
  EXPECT_TRUE(matches_glob("[a-c]x[!0-9]", "bxy"));
  EXPECT_FALSE(matches_glob("[a-c]x[!0-9]", "bx5"));
  EXPECT_TRUE(matches_glob("\\*", "*"));
  EXPECT_FALSE(matches_glob("\\*", "a"));
  EXPECT_TRUE(matches_glob("**/foo", "foo"));
  EXPECT_TRUE(matches_glob("**/foo", "a/b/foo"));
  EXPECT_FALSE(matches_glob("**/foo", "a/bfoo"));
  EXPECT_TRUE(matches_glob("a/**/b", "a/b"));
  EXPECT_TRUE(matches_glob("a/**/b", "a/x/y/b"));
  EXPECT_FALSE(matches_glob("a/**/b", "a/x/yb"));
  EXPECT_TRUE(matches_glob("a/**", "a/x/y"));
  EXPECT_FALSE(matches_glob("a/**", "b/x"));
}

TEST(Glob, TakesNoTimeForTraps) {
  std::string stars;
  for (int n = 0; n < 200; ++n)
    stars += "*a";
  EXPECT_FALSE(matches_glob(stars + "b", std::string(4000, 'a')));
}

TEST(Ignored, TheLastPatternCounts) {
  EXPECT_EQ(judge_ignored("*.o\n!keep.o\n", "x.o", false), 1);
  EXPECT_EQ(judge_ignored("*.o\n!keep.o\n", "sub/keep.o", false), -1);
  EXPECT_EQ(judge_ignored("# *.o\n\n", "x.o", false), 0);
  EXPECT_EQ(judge_ignored("/out\n", "sub/out", false), 0);
  EXPECT_EQ(judge_ignored("out/\n", "sub/out", true), 1);
  EXPECT_EQ(judge_ignored("out/\n", "sub/out", false), 0);
  EXPECT_EQ(judge_ignored("doc/*.txt\r\n", "doc/a.txt", false), 1);
}

}  // namespace
}  // namespace belljar::undo
