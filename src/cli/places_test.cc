#include "cli/places.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace belljar::cli {
namespace {

namespace fs = std::filesystem;

class PlacesTest : public testing::Test {
 protected:
  PlacesTest() {
    std::string pattern = testing::TempDir() + "places-XXXXXX";
    home_ = ::mkdtemp(pattern.data());
    directories_ = {.user_home = home_,
                    .config = home_ + "/config",
                    .state = home_ + "/state",
                    .cache = home_ + "/cache"};
  }
  ~PlacesTest() override {
    std::error_code ignored;
    fs::permissions(home_, fs::perms::owner_all, ignored);
    fs::remove_all(home_, ignored);
  }
  PlacesTest(const PlacesTest&) = delete;
  PlacesTest& operator=(const PlacesTest&) = delete;

  [[nodiscard]] std::string what() const {
    auto fault = find_place_fault(directories_);
    return fault ? fault->what : "";
  }
  static void write_file(const std::string& path) { std::ofstream(path) << "x"; }

  std::string home_;
  keeper::Directories directories_;
};

TEST_F(PlacesTest, WhatIsNotThereYetIsNoFault) {
  EXPECT_EQ(what(), "");
  fs::create_directories(directories_.jars());
  fs::create_directories(directories_.config + "/jars");
  EXPECT_EQ(what(), "");
}

TEST_F(PlacesTest, AFileIsInTheWay) {
  fs::create_directories(directories_.state);
  write_file(directories_.state + "/ledger");
  EXPECT_EQ(what(), directories_.state + "/ledger is a file, not a directory");
  fs::remove(directories_.state + "/ledger");
  write_file(directories_.cache);
  EXPECT_EQ(what(), directories_.cache + " is a file, not a directory");
}

TEST_F(PlacesTest, AboveThePlace) {
  directories_.config = home_ + "/dots/config/belljar";
  write_file(home_ + "/dots");
  EXPECT_EQ(what(), home_ + "/dots is a file, not a directory");
  EXPECT_EQ(find_place_fault(directories_)->mend.find("mv"), std::string::npos);  // it isn't belljar's
}

TEST_F(PlacesTest, AFileIsInTheWayOfAJar) {
  fs::create_directories(directories_.jars() + "/app");
  write_file(directories_.jars() + "/.no-jar");
  EXPECT_EQ(what(), "");
  write_file(directories_.jars() + "/other");
  EXPECT_EQ(what(), directories_.jars() + "/other is a file, not a directory");
}

TEST_F(PlacesTest, ALinkThatLeadsNowhere) {
  fs::create_symlink(home_ + "/away", directories_.state);
  EXPECT_EQ(what(), directories_.state + " is a link that leads nowhere");
  fs::create_directory(home_ + "/away");
  EXPECT_EQ(what(), "");
}

TEST_F(PlacesTest, ClosedByItsMode) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::create_directories(directories_.jars());
  fs::permissions(directories_.jars(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(what(), directories_.jars() + " is closed to you by its mode");
  EXPECT_EQ(find_place_fault(directories_)->mend, "chmod u+rwx " + directories_.jars());
}

TEST_F(PlacesTest, OnlyWhatTheErrorIsAbout) {
  fs::create_directories(directories_.state);
  write_file(directories_.state + "/logins");
  write_file(directories_.state + "/daemon");
  auto about = [this](const std::string& text) {
    auto fault = find_place_fault(directories_, text);
    return fault ? fault->path : "";
  };
  EXPECT_EQ(about("open " + directories_.state + "/daemon/app: Not a directory"),
            directories_.state + "/daemon");
  EXPECT_EQ(about("open /etc/shadow: Permission denied"), "");
}

TEST_F(PlacesTest, TheCommandIsForAShell) {
  fs::create_directories(home_ + "/it's here");
  directories_.state = home_ + "/it's here/state";
  write_file(directories_.state);
  auto path = "'" + home_ + "/it'\\''s here/state'";
  ASSERT_TRUE(find_place_fault(directories_).has_value());
  EXPECT_EQ(find_place_fault(directories_)->mend,
            "mv " + path + " " + path + ".old   (belljar keeps things in a directory of that name)");
}

}  // namespace
}  // namespace belljar::cli
