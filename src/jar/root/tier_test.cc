#include "jar/root/tier.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar::jar {
namespace {

class TierTest : public ::testing::Test {
 protected:
  TierTest() {
    char name[] = "/var/tmp/belljar-tier-XXXXXX";
    base_ = ::mkdtemp(name);
    identity_ = choose_identity().value();
  }
  ~TierTest() override { std::filesystem::remove_all(base_); }

  std::string base_;
  Identity identity_;
};

TEST_F(TierTest, TriesLeaveNothingBehind) {
  for (auto tier : {RootTier::metadata, RootTier::skeleton}) {
    auto tried = try_tier(tier, base_, identity_);
    if (!tried) {
      EXPECT_EQ(tried.error().code(), ErrorCode::unsupported);
    }
    EXPECT_TRUE(std::filesystem::is_empty(base_)) << name_of(tier);
  }
}

TEST_F(TierTest, RemembersWhatItFoundForThisBoot) {
  auto first = find_tier(base_, RootChoice::automatic, identity_);
  ASSERT_TRUE(first) << first.error().to_string();
  auto text = os::read_file(base_ + "/tier").value();
  // Another answer under the same state is believed, one under another state isn't.
  auto state = text.substr(0, text.find('\n') + 1);
  ASSERT_TRUE(os::replace_file(base_ + "/tier", state + "readonly\nfor a test\n"));
  auto remembered = find_tier(base_, RootChoice::automatic, identity_);
  ASSERT_TRUE(remembered);
  EXPECT_EQ(remembered->tier, RootTier::read_only);
  EXPECT_EQ(remembered->why, "for a test");
  ASSERT_TRUE(os::replace_file(base_ + "/tier", "another boot\nreadonly\nfor a test\n"));
  EXPECT_EQ(find_tier(base_, RootChoice::automatic, identity_).value().tier, first->tier);
}

TEST_F(TierTest, WhatWasAskedForByNameIsThatOrAnError) {
  auto best = find_tier(base_, RootChoice::automatic, identity_).value();
  if (best.tier >= RootTier::skeleton) {
    EXPECT_EQ(find_tier(base_, RootChoice::skeleton, identity_).value().tier, RootTier::skeleton);
  }
  EXPECT_EQ(find_tier(base_, RootChoice::read_only, identity_).value().tier, RootTier::read_only);
  auto state = os::read_file(base_ + "/tier").value();
  ASSERT_TRUE(
      os::replace_file(base_ + "/tier", state.substr(0, state.find('\n') + 1) + "skeleton\nfor a test\n"));
  auto refused = find_tier(base_, RootChoice::metadata, identity_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::unsupported);
}

}  // namespace
}  // namespace belljar::jar
