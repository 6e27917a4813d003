#include "agents/home.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/fd.h"

namespace belljar::agents {
namespace {

class HomeTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/belljar-test-XXXXXX";
    root_ = ::mkdtemp(name);
    std::filesystem::create_directories(root_ + "/home");
    std::filesystem::create_directories(root_ + "/host/.claude");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string home() const { return root_ + "/home"; }
  std::string root_;
};

TEST_F(HomeTest, SeedsAreWrittenOnceAndEscaped) {
  std::vector<Seed> seeds = {{.path = ".a/b.json", .text = R"({"${workspace}": 1})"}};
  ASSERT_TRUE(plant_seeds(seeds, home(), "/w/a \"quote\"", {}).ok());
  EXPECT_EQ(os::read_file(home() + "/.a/b.json").value(), R"({"/w/a \"quote\"": 1})");
  ASSERT_TRUE(plant_seeds({{.path = ".a/b.json", .text = "other"}}, home(), "/w", {}).ok());
  EXPECT_NE(os::read_file(home() + "/.a/b.json").value(), "other");
}

TEST_F(HomeTest, ASeedWaitsForItsVariable) {
  std::vector<Seed> seeds = {
      {.path = "key.json", .text = R"(["${value}", "${value_tail}"])", .needs = "KEY"}};
  ASSERT_TRUE(plant_seeds(seeds, home(), "/w", {}).ok());
  EXPECT_FALSE(std::filesystem::exists(home() + "/key.json"));
  ASSERT_TRUE(plant_seeds(seeds, home(), "/w", {{"KEY", "sk-0123456789abcdefghij"}}).ok());
  EXPECT_EQ(os::read_file(home() + "/key.json").value(),
            R"(["sk-0123456789abcdefghij", "0123456789abcdefghij"])");
}

TEST_F(HomeTest, ALoginThatComesLaterIsAddedToTheFile) {
  std::vector<Seed> seeds = {{.path = "a.json", .text = R"({"keys": ["${value}"]})", .needs = "KEY"},
                             {.path = "a.json", .text = R"({"other": 1})"}};
  ASSERT_TRUE(plant_seeds(seeds, home(), "/w", {}).ok());
  ASSERT_TRUE(plant_seeds(seeds, home(), "/w", {{"KEY", "k1"}}).ok());
  auto text = os::read_file(home() + "/a.json").value();
  EXPECT_NE(text.find("\"other\": 1"), std::string::npos);
  EXPECT_NE(text.find("k1"), std::string::npos);
  // A link that the jar has put there is neither read nor replaced.
  ASSERT_TRUE(os::write_file_atomically(root_ + "/host/secret", "{}").ok());
  std::filesystem::remove(home() + "/a.json");
  std::filesystem::create_symlink(root_ + "/host/secret", home() + "/a.json");
  ASSERT_TRUE(plant_seeds(seeds, home(), "/w", {{"KEY", "k2"}}).ok());
  EXPECT_EQ(os::read_file(root_ + "/host/secret").value(), "{}");
  EXPECT_TRUE(std::filesystem::is_symlink(home() + "/a.json"));
}

TEST_F(HomeTest, ASymlinkSetByTheJarIsNeverFollowed) {
  ASSERT_EQ(::symlink((root_ + "/host").c_str(), (home() + "/.a").c_str()), 0);
  EXPECT_FALSE(plant_seeds({{.path = ".a/planted", .text = "x"}}, home(), "/w", {}).ok());
  EXPECT_FALSE(std::filesystem::exists(root_ + "/host/planted"));
}

TEST_F(HomeTest, ALoginIsCopiedWhenAbsentOrOlder) {
  ASSERT_FALSE(copy_into_home(root_ + "/host", ".claude/login", home()).value());
  ASSERT_TRUE(os::write_file_atomically(root_ + "/host/.claude/login", "one").ok());
  ASSERT_TRUE(copy_into_home(root_ + "/host", ".claude/login", home()).value());
  EXPECT_EQ(os::read_file(home() + "/.claude/login").value(), "one");
  struct stat info {};
  ASSERT_EQ(::stat((home() + "/.claude/login").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(HomeTest, ALinkIsReplacedButNotAFile) {
  ASSERT_TRUE(link_in_home(home(), ".local/bin/x", "/one").ok());
  ASSERT_TRUE(link_in_home(home(), ".local/bin/x", "/two").ok());
  EXPECT_EQ(std::filesystem::read_symlink(home() + "/.local/bin/x"), "/two");
  ASSERT_TRUE(os::write_file_atomically(home() + "/.local/bin/y", "mine").ok());
  ASSERT_TRUE(link_in_home(home(), ".local/bin/y", "/one").ok());
  EXPECT_EQ(os::read_file(home() + "/.local/bin/y").value(), "mine");
}

}  // namespace
}  // namespace belljar::agents
