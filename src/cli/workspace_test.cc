#include "cli/workspace.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

namespace belljar::cli {
namespace {

class WorkspaceTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/belljar-test-XXXXXX";
    root_ = ::mkdtemp(name);
    before_ = std::filesystem::current_path();
    std::filesystem::create_directories(root_ + "/home/app/src/deep");
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(root_);
  }
  Workspace find_in(const std::string& directory) {
    std::filesystem::current_path(root_ + directory);
    return find_workspace("", root_ + "/home").value();
  }
  std::string root_;
  std::filesystem::path before_;
};

TEST_F(WorkspaceTest, IsTheRepositoryAround) {
  std::filesystem::create_directories(root_ + "/home/app/.git");
  auto found = find_in("/home/app/src/deep");
  EXPECT_EQ(found.root, root_ + "/home/app");
  EXPECT_EQ(found.current, root_ + "/home/app/src/deep");
}

TEST_F(WorkspaceTest, IsTheDirectoryItselfWithoutARepository) {
  EXPECT_EQ(find_in("/home/app/src").root, root_ + "/home/app/src");
}

TEST_F(WorkspaceTest, ARepositoryOfTheHomeIsNotTheProject) {
  std::filesystem::create_directories(root_ + "/home/.git");
  EXPECT_EQ(find_in("/home/app/src").root, root_ + "/home/app/src");
}

TEST_F(WorkspaceTest, AChosenOneMustBeADirectory) {
  EXPECT_FALSE(find_workspace(root_ + "/nowhere", root_).ok());
  EXPECT_FALSE(find_workspace("/etc/passwd", root_).ok());
  EXPECT_EQ(find_workspace(root_ + "/home/../home/app", root_)->root, root_ + "/home/app");
}

}  // namespace
}  // namespace belljar::cli
