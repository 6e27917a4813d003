#include "undo/ignored.h"

#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "os/fd.h"
#include "undo/testing.h"

namespace belljar::undo {
namespace {

constexpr std::uint64_t kPlenty = 100'000'000;

bool matches(std::string_view pattern, std::string_view text) {
  auto steps = kPlenty;
  return matches_glob(pattern, text, steps);
}

int judge(std::string_view patterns, std::string_view path, bool is_directory) {
  auto steps = kPlenty;
  return judge_ignored(patterns, path, is_directory, steps);
}

TEST(Glob, AsGitHasIt) {
  EXPECT_TRUE(matches("*.bin", "a.bin"));
  EXPECT_FALSE(matches("*.bin", "a.bin.txt"));
  EXPECT_FALSE(matches("a*c", "ab/c"));
  EXPECT_TRUE(matches("a?c", "abc"));
  EXPECT_FALSE(matches("a?c", "a/c"));
  EXPECT_TRUE(matches("[a-c]x[!0-9]", "bxy"));
  EXPECT_FALSE(matches("[a-c]x[!0-9]", "bx5"));
  EXPECT_TRUE(matches("\\*", "*"));
  EXPECT_FALSE(matches("\\*", "a"));
  EXPECT_TRUE(matches("**/foo", "foo"));
  EXPECT_TRUE(matches("**/foo", "a/b/foo"));
  EXPECT_FALSE(matches("**/foo", "a/bfoo"));
  EXPECT_TRUE(matches("a/**/b", "a/b"));
  EXPECT_TRUE(matches("a/**/b", "a/x/y/b"));
  EXPECT_FALSE(matches("a/**/b", "a/x/yb"));
  EXPECT_TRUE(matches("a/**", "a/x/y"));
  EXPECT_FALSE(matches("a/**", "b/x"));
}

TEST(Glob, TakesNoTimeForTraps) {
  std::string stars;
  for (int n = 0; n < 200; ++n)
    stars += "*a";
  EXPECT_FALSE(matches(stars + "b", std::string(4000, 'a')));
}

TEST(Ignored, TheLastPatternCounts) {
  EXPECT_EQ(judge("*.o\n!keep.o\n", "x.o", false), 1);
  EXPECT_EQ(judge("*.o\n!keep.o\n", "sub/keep.o", false), -1);
  EXPECT_EQ(judge("# *.o\n\n", "x.o", false), 0);
  EXPECT_EQ(judge("/out\n", "sub/out", false), 0);
  EXPECT_EQ(judge("out/\n", "sub/out", true), 1);
  EXPECT_EQ(judge("out/\n", "sub/out", false), 0);
  EXPECT_EQ(judge("doc/*.txt\r\n", "doc/a.txt", false), 1);
}

TEST(Ignored, StepsEnd) {
  std::uint64_t steps = 1000;
  EXPECT_EQ(judge_ignored("*.o\n", "x.o", false, steps), 1);
  EXPECT_LT(steps, 1000U);
  EXPECT_GT(steps, 900U);
  std::string many;
  for (int n = 0; n < 100; ++n)
    many += "*a*a*a*b\n";
  EXPECT_EQ(judge_ignored("*.o\n" + many, std::string(4000, 'a') + ".o", false, steps), 0);
  EXPECT_EQ(steps, 0U);
  EXPECT_EQ(judge_ignored("*.o\n", "x.o", false, steps), 0);
}

/// Rules beyond what is read, or matched, ignore nothing: the file is saved.
class Rules : public Place {};

TEST_F(Rules, HaveBounds) {
  ASSERT_EQ(run("mkdir -p .git/info a/b; echo '*.bin' > .gitignore; echo '*.obj' > a/b/.gitignore; "
                "head -c 5000 /dev/zero | tr '\\0' '#' > a/.gitignore"),
            0);
  auto top = os::open_file(workspace(), O_PATH | O_DIRECTORY);
  ASSERT_TRUE(top);
  Ignored plenty({});
  EXPECT_TRUE(plenty.is_ignored(top->get(), "x.bin"));
  EXPECT_TRUE(plenty.is_ignored(top->get(), "a/b/x.bin"));
  EXPECT_TRUE(plenty.is_ignored(top->get(), "a/b/x.obj"));
  EXPECT_FALSE(plenty.is_ignored(top->get(), "a/x.obj"));
  // Read once: what the file says now doesn't count.
  ASSERT_EQ(run("echo > .gitignore"), 0);
  EXPECT_TRUE(plenty.is_ignored(top->get(), "y.bin"));
  ASSERT_EQ(run("echo '*.bin' > .gitignore"), 0);
  Ignored few_patterns({.patterns = 1000});
  EXPECT_TRUE(few_patterns.is_ignored(top->get(), "x.bin"));
  EXPECT_FALSE(few_patterns.is_ignored(top->get(), "a/x.bin"));
  EXPECT_FALSE(few_patterns.is_ignored(top->get(), "x.bin"));
  Ignored few_steps({.steps = 50'000});
  EXPECT_FALSE(few_steps.is_ignored(top->get(), "x.bin"));
  ASSERT_EQ(run("head -c 5000 /dev/zero > .git/index"), 0);
  Ignored short_index({.index = 1000});
  EXPECT_FALSE(short_index.is_ignored(top->get(), "x.bin")) << "it may be tracked";
}

}  // namespace
}  // namespace belljar::undo
