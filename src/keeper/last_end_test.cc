#include "keeper/last_end.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "os/fd.h"

namespace belljar::keeper {
namespace {

class LastEndTest : public ::testing::Test {
 protected:
  LastEndTest() {
    char path[] = "/var/tmp/belljar-last-end-XXXXXX";
    directory = ::mkdtemp(path);
  }
  ~LastEndTest() override { std::filesystem::remove_all(directory); }
  std::string directory;
};

TEST_F(LastEndTest, IsThereUntilItIsForgotten) {
  EXPECT_FALSE(read_last_end(directory));
  LastEnd end{.ended = 5, .exit_code = 143, .reasons = {"the wall time"}, .all_traps = 1000};
  for (std::size_t n = 0; n < 2 * kMostKeptTraps; ++n)
    end.traps.push_back({.path = std::to_string(n) + "\xff\x1b[2J", .why = "an editor's task"});
  ASSERT_TRUE(write_last_end(directory, end).ok());
  auto read = read_last_end(directory);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->exit_code, 143);
  EXPECT_EQ(read->reasons, end.reasons);
  EXPECT_EQ(read->traps.size(), kMostKeptTraps);
  EXPECT_EQ(read->all_traps, 1000U);
  EXPECT_EQ(read->traps[1].why, "an editor's task");
  forget_last_end(directory);
  EXPECT_FALSE(read_last_end(directory));
}

TEST_F(LastEndTest, WhatIsDamagedIsSaid) {
  for (const char* text : {"", "[]", "{\"traps\": [3"}) {
    ASSERT_TRUE(os::replace_file(directory + "/last-end.json", text).ok());
    auto read = read_last_end(directory);
    ASSERT_TRUE(read && read->reasons.size() == 1) << text;
    EXPECT_NE(read->reasons.front().find(directory + "/last-end.json is damaged"), std::string::npos);
  }
}

TEST_F(LastEndTest, PartsThatCanNotBeAreLeftOut) {
  for (const char* text :
       {"{\"traps\": 7, \"reasons\": [1, {}], \"exit_code\": \"x\"}", "{\"traps\": [3]}"}) {
    ASSERT_TRUE(os::replace_file(directory + "/last-end.json", text).ok());
    auto read = read_last_end(directory);
    EXPECT_TRUE(read && read->reasons.empty());
  }
}

}  // namespace
}  // namespace belljar::keeper
