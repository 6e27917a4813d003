#include "keeper/end_record.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "os/fd.h"

namespace belljar::keeper {
namespace {

class EndRecordTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/belljar-test-XXXXXX";
    directory_ = ::mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string directory_;
};

TEST_F(EndRecordTest, IsReadAsItWasWritten) {
  EXPECT_EQ(read_end(directory_), std::nullopt);
  for (const auto& end : {EndRecord{1'700'000'000, 0}, EndRecord{1, 143}, EndRecord{2, std::nullopt}}) {
    ASSERT_TRUE(write_end(directory_, end).ok());
    EXPECT_EQ(read_end(directory_), end);
  }
}

TEST_F(EndRecordTest, WhatIsNoneIsNotReadAsOne) {
  for (const char* text : {"", "5", "5 \n", "5 0", "x 0\n", "5 0 \n", "5 lost\n", " 5 0\n"}) {
    ASSERT_TRUE(os::replace_file(directory_ + "/ended", text).ok());
    EXPECT_EQ(read_end(directory_), std::nullopt) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace belljar::keeper
