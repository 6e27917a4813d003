#include <random>
#include <string>

#include <gtest/gtest.h>

#include "policy/policy.h"

namespace belljar::policy {
namespace {

std::string canonical(std::string_view text) {
  auto host = canonical_host(text);
  return host ? *host : "refused";
}

TEST(CanonicalHost, HasOneSpelling) {
  EXPECT_EQ(canonical("API.Example.COM"), "api.example.com");
  EXPECT_EQ(canonical("api.example.com."), "api.example.com");
  EXPECT_EQ(canonical("xn--bcher-kva.example"), "xn--bcher-kva.example");
  EXPECT_EQ(canonical("_acme.3d.x0.example"), "_acme.3d.x0.example");
  EXPECT_EQ(canonical("localhost"), "localhost");
  EXPECT_EQ(canonical("1.2.3.4.example"), "1.2.3.4.example");
}

TEST(CanonicalHost, RefusesEverySpellingOfAnAddress) {
  for (auto text : {"127.0.0.1",
                    "127.1",
                    "127.1.",
                    "0",
                    "0x7f.0.0.1",
                    "0x7f.1",
                    "0X7F.1",
                    "2130706433",
                    "017700000001",
                    "0x7f000001",
                    "0x",
                    "1.2.3.4.5",
                    "example.com.1",
                    "example.0x1f",
                    "::1",
                    "[::1]",
                    "::ffff:127.0.0.1",
                    "64:ff9b::7f00:1",
                    "2002:7f00:1::",
                    "fe80::1%25lo",
                    "example.com:80",
                    "2852039166",
                    "\xef\xbc\x91"
                    "27.0.0.1",
                    "0251.0376.0251.0376"})
    EXPECT_EQ(canonical(text), "refused") << text;
}

TEST(CanonicalHost, RefusesWhatIsNoName) {
  auto long_label = std::string(64, 'a') + ".example";
  std::string long_name;
  while (long_name.size() < 254)
    long_name += "a.";
  std::string with_nul("evil.test\0.allowed.test", 23);
  for (const auto& text :
       {std::string(), std::string("."), std::string(".."), std::string("a..b"), std::string(".a"),
        std::string("a.."), std::string("-a.example"), std::string("a-.example"), std::string("a b"),
        std::string("a%2eb"), std::string("a/b"), std::string("a@b"), std::string("a\r\nb"),
        std::string("*.example.com"), with_nul, long_label, long_name + "com"})
    EXPECT_EQ(canonical(text), "refused") << text;
  EXPECT_EQ(canonical(std::string(63, 'a') + ".example"), std::string(63, 'a') + ".example");
}

TEST(CanonicalHost, SaysHowToWriteANameThatIsNotAscii) {
  auto host = canonical_host(
      "b\xc3\xbc"
      "cher.example");
  ASSERT_FALSE(host.ok());
  EXPECT_NE(host.error().hint().find("xn--"), std::string::npos);
  EXPECT_EQ(host.error().message().find('\xc3'), std::string::npos) << "foreign bytes stay out of messages";
}

TEST(CanonicalHost, IsIdempotentOnWhateverItTakes) {
  std::mt19937 random(7);
  constexpr std::string_view kAlphabet = "aZ09x-_.:%*\\";
  int taken = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::string text;
    for (auto length = random() % 12; length > 0; --length)
      text += kAlphabet[random() % kAlphabet.size()];
    auto host = canonical_host(text);
    if (!host) continue;
    ++taken;
    ASSERT_EQ(canonical(*host), *host) << text;
    ASSERT_EQ(canonical(*host + "."), *host) << text;
  }
  EXPECT_GT(taken, 1000);
}

bool matches(std::string_view pattern, std::string_view host) {
  return HostPattern::parse(pattern)->matches(host);
}

TEST(HostPattern, MatchesExactlyTheNameOrWhatIsBelow) {
  EXPECT_TRUE(matches("example.com", "example.com"));
  EXPECT_TRUE(matches("Example.COM.", "example.com"));
  EXPECT_FALSE(matches("example.com", "evilexample.com"));
  EXPECT_FALSE(matches("example.com", "example.com.evil.com"));
  EXPECT_FALSE(matches("example.com", "www.example.com"));
  EXPECT_TRUE(matches("*.example.com", "a.example.com"));
  EXPECT_TRUE(matches("*.example.com", "a.b.example.com"));
  EXPECT_FALSE(matches("*.example.com", "example.com"));
  EXPECT_FALSE(matches("*.example.com", "evilexample.com"));
  EXPECT_FALSE(matches("*.example.com", ".example.com"));
  EXPECT_FALSE(HostPattern().matches(""));
  EXPECT_FALSE(HostPattern().matches("example.com"));
}

TEST(HostPattern, RefusesWhatCoversEverythingOrReadsTwoWays) {
  for (auto text :
       {"*", "*.", "**", "*.*", "a*.example.com", "a.*.com", "*example.com", "*.127.1", "10.0.0.1", "", "."})
    EXPECT_FALSE(HostPattern::parse(text).ok()) << text;
}

TEST(HostPattern, KeepsItsText) {
  EXPECT_EQ(HostPattern::parse("*.Example.com")->text(), "*.example.com");
  EXPECT_EQ(*HostPattern::parse("*.example.com"), *HostPattern::parse("*.EXAMPLE.com."));
}

}  // namespace
}  // namespace belljar::policy
