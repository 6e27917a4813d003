#include "keeper/tree_size.h"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar::keeper {
namespace {

class TreeSizeTest : public ::testing::Test {
 protected:
  TreeSizeTest() {
    char path[] = "/var/tmp/belljar-tree-size-XXXXXX";
    directory = ::mkdtemp(path);
  }
  ~TreeSizeTest() override { std::filesystem::remove_all(directory); }
  void write(const std::string& path, std::size_t size) {
    std::ofstream(directory + "/" + path) << std::string(size, 'x');
  }
  std::string directory;
};

constexpr std::size_t kMebi = 1U << 20;

TEST_F(TreeSizeTest, CountsAFileOnceAndFollowsNoLink) {
  auto empty = measure_tree(directory).bytes;
  write("one", kMebi);
  ASSERT_EQ(::link((directory + "/one").c_str(), (directory + "/two").c_str()), 0);
  ASSERT_EQ(::symlink("/usr", (directory + "/usr").c_str()), 0);
  auto size = measure_tree(directory);
  EXPECT_TRUE(size.complete);
  EXPECT_GE(size.bytes, empty + kMebi);
  EXPECT_LT(size.bytes, empty + 2 * kMebi);
}

TEST_F(TreeSizeTest, ReachesWhatNoPathNames) {
  // Deeper than the longest path, with a file at the bottom.
  int place = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::string name(200, 'd');
  for (int depth = 0; depth < 50; ++depth) {
    ASSERT_EQ(::mkdirat(place, name.c_str(), 0700), 0);
    int next = ::openat(place, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ::close(place);
    place = next;
  }
  int file = ::openat(place, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  std::string text(kMebi, 'x');
  ASSERT_EQ(::write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(file);
  ::close(place);
  auto size = measure_tree(directory);
  EXPECT_TRUE(size.complete);
  EXPECT_GE(size.bytes, kMebi);
}

TEST_F(TreeSizeTest, WhatIsNotThereTakesNothing) {
  auto size = measure_tree(directory + "/none");
  EXPECT_TRUE(size.complete);
  EXPECT_EQ(size.bytes, 0U);
}

}  // namespace
}  // namespace belljar::keeper
