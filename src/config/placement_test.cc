#include "config/placement.h"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

namespace belljar::config {
namespace {

namespace fs = std::filesystem;

class PlacementTest : public ::testing::Test {
 protected:
  PlacementTest() {
    char name[] = "/tmp/belljar-placement-XXXXXX";
    root = fs::canonical(::mkdtemp(name));
    fs::create_directories(workspace());
    fs::create_directories(config());
  }
  ~PlacementTest() override { fs::remove_all(root); }
  [[nodiscard]] std::string workspace() const { return root + "/workspace"; }
  [[nodiscard]] std::string config() const { return root + "/config"; }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  [[nodiscard]] Result<std::string> read(const std::string& path) const {
    return read_placed(path, "the file", 1000,
                       [this]() -> Result<std::vector<std::string>> { return {{workspace()}}; });
  }
  [[nodiscard]] bool is_refused(const std::string& path) const {
    auto text = read(path);
    return !text && text.error().code() == ErrorCode::permission_denied;
  }
  std::string root;
};

TEST_F(PlacementTest, ReadsWhatStandsElsewhereByWhateverLink) {
  write(config() + "/plain", "plain");
  fs::create_symlink("plain", config() + "/relative");
  fs::create_symlink(config() + "/relative", config() + "/absolute");
  fs::create_symlink(root, config() + "/above");
  EXPECT_EQ(read(config() + "/plain").value(), "plain");
  EXPECT_EQ(read(config() + "/absolute").value(), "plain");
  EXPECT_EQ(read(config() + "/above/config/../config/./relative").value(), "plain");
  EXPECT_EQ(read("/dev/null").value(), "");
  int file = ::open((config() + "/plain").c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(read("/dev/fd/" + std::to_string(file)).value(), "plain");
  ::close(file);
}

TEST_F(PlacementTest, WhatIsNotThereIsNotFound) {
  fs::create_symlink(workspace() + "/none", config() + "/dangling");
  EXPECT_EQ(read(config() + "/none").error().code(), ErrorCode::not_found);
  EXPECT_EQ(read(config() + "/dangling").error().code(), ErrorCode::not_found);
  fs::create_symlink("loop", config() + "/loop");
  EXPECT_FALSE(read(config() + "/loop").ok());
}

TEST_F(PlacementTest, RefusesWhatAJarCanWrite) {
  write(workspace() + "/text", "the jar's");
  fs::create_symlink(workspace() + "/text", config() + "/link");
  fs::create_directory_symlink(workspace(), config() + "/directory");
  EXPECT_TRUE(is_refused(workspace() + "/text"));
  EXPECT_TRUE(is_refused(config() + "/link"));
  EXPECT_TRUE(is_refused(config() + "/directory/text"));
  int file = ::open((workspace() + "/text").c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_TRUE(is_refused("/dev/fd/" + std::to_string(file)));
  fs::remove(workspace() + "/text");
  EXPECT_TRUE(is_refused("/dev/fd/" + std::to_string(file)));
  ::close(file);
}

TEST_F(PlacementTest, RefusesALinkOfTheJarsThatLeadsOutAgain) {
  write(config() + "/other", "another jar's rules");
  fs::create_symlink("../config/other", workspace() + "/link");
  fs::create_symlink(workspace() + "/link", config() + "/link");
  fs::create_directory_symlink(config(), workspace() + "/directory");
  EXPECT_TRUE(is_refused(config() + "/link"));
  EXPECT_TRUE(is_refused(workspace() + "/directory/other"));
}

TEST_F(PlacementTest, WhereTheJarsAreNotKnownNothingIsRead) {
  write(config() + "/plain", "plain");
  auto text = read_placed(config() + "/plain", "the file", 1000, []() -> Result<std::vector<std::string>> {
    return Error(ErrorCode::internal, "no records");
  });
  EXPECT_EQ(text.error().code(), ErrorCode::permission_denied);
}

TEST_F(PlacementTest, AFileThatComesAndGoesIsNeverRead) {
  write(workspace() + "/text", "the jar's");
  fs::create_symlink(workspace() + "/text", config() + "/link");
  auto jar = ::fork();
  if (jar == 0) {
    auto here = workspace() + "/text", away = workspace() + "/away";
    while (::getppid() != 1) {
      ::rename(here.c_str(), away.c_str());
      ::rename(away.c_str(), here.c_str());
    }
    ::_exit(0);
  }
  for (int n = 0; n < 50'000; ++n)
    ASSERT_FALSE(read(config() + "/link").ok());
  ::kill(jar, SIGKILL);
  ::waitpid(jar, nullptr, 0);
}

}  // namespace
}  // namespace belljar::config
