#include "policy/path.h"

#include <random>

#include <gtest/gtest.h>

#include "policy/policy.h"

namespace belljar::policy {
namespace {

std::string normal(std::string_view text) {
  auto path = normalise_path(text);
  return path ? *path : "refused";
}

TEST(NormalisePath, GivesEquivalentPathsOneSpelling) {
  EXPECT_EQ(normal("/"), "/");
  EXPECT_EQ(normal("/a/b/"), "/a/b/");
  EXPECT_EQ(normal("/%61%2D%7e"), "/a-~");
  EXPECT_EQ(normal("/a%3ab"), "/a%3Ab");
  EXPECT_EQ(normal("/@scope%2fname"), "/@scope%2Fname");
  EXPECT_EQ(normal("/a|b"), "/a%7Cb");
  EXPECT_EQ(normal("/caf%c3%a9"), "/caf%C3%A9");
  EXPECT_EQ(normal("/...//x").substr(0, 7), "refused");
  EXPECT_EQ(normal("/.../.x/x."), "/.../.x/x.");
}

TEST(NormalisePath, RefusesWhatServersReadDifferently) {
  for (std::string_view text : {"",
                                "a",
                                "*",
                                "//",
                                "//a",
                                "/a//b",
                                "/a/../b",
                                "/a/./b",
                                "/..",
                                "/.",
                                "/a/..",
                                "/%2e%2e/b",
                                "/a/%2E/b",
                                "/.%2e",
                                "/a%2f..%2fb",
                                "/..%2Fb",
                                "/%252e%252e%252fb",
                                "/%25252e%25252e/b",
                                "/a\\b",
                                "/a%5cb",
                                "/a%255c..%255cb",
                                "/a%00",
                                "/a%2500",
                                "/a%0d%0a",
                                "/a%250a",
                                "/a%7f",
                                "/a b",
                                "/a\tb",
                                "/a%",
                                "/a%4",
                                "/a%zz",
                                "/a?b",
                                "/a#b",
                                "/..;/b",
                                "/a/..;x=1/b",
                                "/%2e%2e%3b/b",
                                "/caf\xc3\xa9",
                                "http://x/"})
    EXPECT_EQ(normal(text), "refused") << text;
  EXPECT_EQ(normal(std::string_view("/a\0b", 4)), "refused");
  EXPECT_EQ(normal("/" + std::string(kMaxPath, 'a')), "refused");
}

TEST(NormalisePath, GivesUpOnEndlessNesting) {
  std::string nested = "/%";
  for (int i = 0; i < 20; ++i)
    nested += "25";
  EXPECT_EQ(normal(nested + "41"), "refused");
}

TEST(NormalisePath, IsIdempotentAndLeavesNothingToClimb) {
  std::mt19937 random(11);
  constexpr std::string_view kPieces[] = {"/",   "%2f", "%2F", "%25", "2e", ".", "%2e",
                                          "%5c", "a",   "%61", ";",   "*",  "%", "{"};
  int taken = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::string text = "/";
    for (auto length = random() % 9; length > 0; --length)
      text += kPieces[random() % std::size(kPieces)];
    auto path = normalise_path(text);
    if (!path) continue;
    ++taken;
    ASSERT_EQ(normal(*path), *path) << text;
    for (const auto& reading : {readings_of(*path).decoded + "/", readings_of(*path).bare + "/"}) {
      ASSERT_EQ(reading.find("/../"), std::string::npos) << text;
      ASSERT_EQ(reading.find("/./"), std::string::npos) << text;
    }
  }
  EXPECT_GT(taken, 1000);
}

bool covers(std::string_view glob, std::string_view path) {
  return PathGlob::parse(glob)->matches_literally(path);
}

TEST(PathGlob, StarStaysInItsSegment) {
  EXPECT_TRUE(covers("/repos/*/issues", "/repos/app/issues"));
  EXPECT_FALSE(covers("/repos/*/issues", "/repos/a/b/issues"));
  EXPECT_TRUE(covers("/v*/x", "/v1/x"));
  EXPECT_TRUE(covers("/*", "/"));
  EXPECT_TRUE(covers("/*", "/a"));
  EXPECT_FALSE(covers("/*", "/a/b"));
  EXPECT_FALSE(covers("/a", "/a/"));
  EXPECT_FALSE(covers("/a", "/ab"));
}

TEST(PathGlob, TwoStarsCrossSegments) {
  EXPECT_TRUE(covers("/repos/acme/**", "/repos/acme/app/issues/1"));
  EXPECT_TRUE(covers("/repos/acme/**", "/repos/acme/"));
  EXPECT_TRUE(covers("/repos/acme/**", "/repos/acme"));
  EXPECT_FALSE(covers("/repos/acme/**", "/repos/acme2"));
  EXPECT_FALSE(covers("/repos/acme/**", "/repos"));
  EXPECT_TRUE(covers("/**", "/"));
  EXPECT_TRUE(covers("/**", "/a/b"));
  EXPECT_TRUE(covers("/a/**/b", "/a/b"));
  EXPECT_TRUE(covers("/a/**/b", "/a/x/y/b"));
  EXPECT_FALSE(covers("/a/**/b", "/a/xb"));
  EXPECT_TRUE(covers("/a/**/**/b", "/a/b"));
  EXPECT_TRUE(covers("/**.tgz", "/a/b.tgz"));
}

TEST(PathGlob, RefusesWhatNoPathCanBe) {
  for (auto text : {"", "a", "**", "/a/../b", "/a//b", "/a?b"})
    EXPECT_FALSE(PathGlob::parse(text).ok()) << text;
  EXPECT_FALSE(PathGlob::parse("/" + std::string(kMaxGlob, 'a')).ok());
  EXPECT_EQ(PathGlob::parse("/%61%2f**")->text(), "/a%2F**");
}

TEST(PathGlob, ReadsHiddenSlashesBothWays) {
  auto globs = [](std::string_view glob, std::string_view path) {
    auto readings = readings_of(path);
    auto parsed = PathGlob::parse(glob);
    return std::pair(parsed->matches_every(readings), parsed->matches_any(readings));
  };
  using Both = std::pair<bool, bool>;
  EXPECT_EQ(globs("/public/*", "/public/a%2Fb"), Both(false, true));
  EXPECT_EQ(globs("/public/**", "/public/a%2Fb"), Both(true, true));
  EXPECT_EQ(globs("/admin/**", "/admin%2Fusers"), Both(false, true));
  EXPECT_EQ(globs("/admin/**", "/%2561dmin/users"), Both(false, true));
  EXPECT_EQ(globs("/admin/**", "/admin;v=1/users"), Both(false, true));
  EXPECT_EQ(globs("/@scope%2Fname", "/@scope%2Fname"), Both(true, true));
  EXPECT_EQ(globs("/a%20b/*", "/a%20b/c"), Both(true, true));
  EXPECT_EQ(globs("/a%2Ab", "/axb"), Both(false, false));
}

/// The meaning of a glob, written down the slow way.
bool reference(std::string_view glob, std::string_view path) {
  if (glob == "/**" && path.empty()) return true;
  if (glob.empty()) return path.empty();
  if (glob.starts_with("/**/") && path.starts_with("/") && reference(glob.substr(3), path)) return true;
  if (glob.starts_with("**")) {
    for (std::size_t i = 0; i <= path.size(); ++i)
      if (reference(glob.substr(2), path.substr(i))) return true;
    return false;
  }
  if (glob.starts_with("*")) {
    for (std::size_t i = 0; i <= path.size(); ++i) {
      if (reference(glob.substr(1), path.substr(i))) return true;
      if (i < path.size() && path[i] == '/') return false;
    }
    return false;
  }
  return !path.empty() && path[0] == glob[0] && reference(glob.substr(1), path.substr(1));
}

TEST(PathGlob, MeansWhatTheSlowDefinitionMeans) {
  std::mt19937 random(3);
  constexpr std::string_view kGlobPieces[] = {"/", "a", "b", "*", "/**", "/**/"};
  constexpr std::string_view kPathPieces[] = {"/", "a", "b", "/a"};
  int matched = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::string glob = "/a";
    std::string path = "/a";
    for (auto length = random() % 6; length > 0; --length)
      glob += kGlobPieces[random() % std::size(kGlobPieces)];
    for (auto length = random() % 7; length > 0; --length)
      path += kPathPieces[random() % std::size(kPathPieces)];
    auto parsed = PathGlob::parse(glob);
    if (!parsed || parsed->text() != glob || glob.find("***") != std::string::npos) continue;
    bool expected = reference(glob, path);
    matched += expected ? 1 : 0;
    ASSERT_EQ(parsed->matches_literally(path), expected) << glob << " " << path;
  }
  EXPECT_GT(matched, 1000);
}

}  // namespace
}  // namespace belljar::policy
