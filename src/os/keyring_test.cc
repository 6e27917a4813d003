#include "os/keyring.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "os/fork.h"

namespace belljar::os {
namespace {

class Keyring : public ::testing::Test {
 protected:
  void SetUp() override {
    auto left = leave_key(name_, Secret(std::string("value")), std::chrono::seconds(60));
    if (!left) GTEST_SKIP() << left.error().to_string();
  }
  void TearDown() override { (void)take_key(name_); }
  std::string name_ = "belljar:test:" + std::to_string(::getpid());
};

TEST_F(Keyring, AKeyIsTakenOnce) {
  EXPECT_TRUE(has_key(name_));
  auto taken = take_key(name_);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->reveal(), "value");
  EXPECT_FALSE(has_key(name_));
  EXPECT_FALSE(take_key(name_));
}

TEST_F(Keyring, ALaterValueTakesThePlace) {
  ASSERT_TRUE(leave_key(name_, Secret(std::string("other")), std::chrono::seconds(60)).ok());
  EXPECT_EQ(take_key(name_)->reveal(), "other");
  EXPECT_FALSE(take_key(name_));
}

TEST_F(Keyring, OutlivesTheProcessThatLeftIt) {
  auto name = name_ + ":child";
  auto child = fork_process(Lifetime::parents, [&name] {
    return leave_key(name, Secret(std::string("from a child")), std::chrono::seconds(60)).ok() ? 0 : 1;
  });
  EXPECT_EQ(child->wait()->shell_code(), 0);
  EXPECT_EQ(take_key(name)->reveal(), "from a child");
}

TEST_F(Keyring, OfSeveralThatTakeOneGetsIt) {
  constexpr int kTakers = 8;
  for (int round = 0; round < 50; ++round) {
    ASSERT_TRUE(leave_key(name_, Secret(std::string("value")), std::chrono::seconds(60)).ok());
    std::vector<Pid> takers;
    for (int n = 0; n < kTakers; ++n)
      takers.push_back(fork_process(Lifetime::parents, [this] { return take_key(name_) ? 1 : 0; }).value());
    int got = 0;
    for (auto& taker : takers)
      got += taker.wait()->shell_code();
    EXPECT_EQ(got, 1);
  }
}

TEST_F(Keyring, WhatIsTooLargeIsNotLeft) {
  EXPECT_FALSE(leave_key(name_, Secret(std::string(kMaxKey + 1, 'x')), std::chrono::seconds(60)).ok());
  EXPECT_EQ(take_key(name_)->reveal(), "value");
}

}  // namespace
}  // namespace belljar::os
