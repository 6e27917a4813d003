#include "daemon/housekeeping.h"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "keeper/end_record.h"
#include "keeper/jars.h"
#include "keeper/socket.h"
#include "os/fd.h"
#include "undo/checkpoint.h"
#include "undo/git_directory.h"
#include "undo/store.h"

namespace belljar::daemon {
namespace {

namespace fs = std::filesystem;

class HousekeepingTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/belljar-test-XXXXXX";
    root_ = ::mkdtemp(name);
    jars_ = root_ + "/jars";
    directory_ = jars_ + "/app";
    workspace_ = root_ + "/work";
    ASSERT_TRUE(os::create_directories(workspace_).ok());
  }
  void TearDown() override { fs::remove_all(root_); }

  keeper::TakenJar take() {
    return keeper::Jars::open(jars_).value().take({.name = "app", .workspace = workspace_}).value();
  }
  /// What a keeper that was killed leaves.
  void leave_behind() {
    (void)keeper::listen_in(directory_).value();
    fs::create_directories(workspace_ + "/.git");
    std::ofstream(workspace_ + "/.git/commondir") << ".\n";
    std::ofstream(directory_ + "/placeholders") << "c .git/commondir\n";
  }
  [[nodiscard]] bool is_left() const {
    return keeper::has_socket(directory_) || fs::exists(workspace_ + "/.git/commondir");
  }

  std::string root_, jars_, directory_, workspace_;
};

TEST_F(HousekeepingTest, ClearsAwayWhatAKilledKeeperLeft) {
  (void)take();
  leave_behind();
  ASSERT_TRUE(is_left());
  ASSERT_TRUE(clear_after_kill(jars_, "app").ok());
  EXPECT_FALSE(is_left());
  EXPECT_TRUE(fs::exists(workspace_ + "/.git"));
  auto end = keeper::read_end(directory_);
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->exit_code);
}

TEST_F(HousekeepingTest, LeavesAJarAloneThatRuns) {
  auto taken = take();
  leave_behind();
  ASSERT_TRUE(clear_after_kill(jars_, "app").ok());
  EXPECT_TRUE(keeper::has_socket(directory_));
  EXPECT_TRUE(fs::exists(workspace_ + "/.git/commondir"));
  EXPECT_FALSE(keeper::read_end(directory_));
}

TEST_F(HousekeepingTest, LeavesAJarAloneWhoseKeeperEndedByItself) {
  (void)take();
  ASSERT_TRUE(keeper::write_end(directory_, {5, 3}).ok());
  ASSERT_TRUE(clear_after_kill(jars_, "app").ok());
  EXPECT_EQ(keeper::read_end(directory_), (keeper::EndRecord{5, 3}));
  EXPECT_TRUE(clear_after_kill(jars_, "gone").ok());
}

TEST_F(HousekeepingTest, CheckpointsAgeAlsoWhereNoJarIsStarted) {
  (void)take();
  auto checkpoint = [this](const char* content) {
    std::ofstream(workspace_ + "/file") << content;
    auto store = undo::Store::open(directory_).value();
    ASSERT_TRUE(undo::save(store, {.workspace = workspace_, .why = "asked for"}).ok());
  };
  auto count = [this] { return undo::Store::open_existing(directory_).value()->numbers().value().size(); };
  checkpoint("one");
  checkpoint("two");
  checkpoint("three");
  const auto config = root_ + "/config.toml";
  ASSERT_TRUE(tend_checkpoints(jars_, "app", config).ok());
  EXPECT_EQ(count(), 3U);
  {  // both of the first are as old as a month
    auto store = undo::Store::open_existing(directory_).value();
    for (std::uint64_t number : {1U, 2U}) {
      timespec old{.tv_sec = std::time(nullptr) - 30 * 86'400, .tv_nsec = 0};
      timespec times[] = {old, old};
      ASSERT_EQ(::utimensat(AT_FDCWD, store->reference(number).c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
    }
  }
  std::ofstream(config) << "[undo]\nkeep = \"60d\"\n";
  ASSERT_TRUE(tend_checkpoints(jars_, "app", config).ok());
  EXPECT_EQ(count(), 3U);
  std::ofstream(config) << "[undo\n";  // says nothing of what may be dropped
  EXPECT_FALSE(tend_checkpoints(jars_, "app", config).ok());
  EXPECT_EQ(count(), 3U);
  fs::remove(config);
  ASSERT_TRUE(tend_checkpoints(jars_, "app", config).ok());
  EXPECT_EQ(count(), 1U);
}

TEST_F(HousekeepingTest, CheckpointsOfAGitDirectoryElsewhereAgeLikewise) {
  (void)take();
  const auto git = undo::git_store_of(directory_);
  fs::create_directories(git);
  for (const char* content : {"one", "two"}) {
    std::ofstream(workspace_ + "/file") << content;
    auto store = undo::Store::open(git).value();
    ASSERT_TRUE(undo::save(store, {.workspace = workspace_, .why = "asked for"}).ok());
  }
  auto count = [&] { return undo::Store::open_existing(git).value()->numbers().value().size(); };
  ASSERT_EQ(count(), 2U);
  {
    auto store = undo::Store::open_existing(git).value();
    timespec old{.tv_sec = std::time(nullptr) - 30 * 86'400, .tv_nsec = 0};
    timespec times[] = {old, old};
    ASSERT_EQ(::utimensat(AT_FDCWD, store->reference(1).c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
  }
  ASSERT_TRUE(tend_checkpoints(jars_, "app", root_ + "/config.toml").ok());
  EXPECT_EQ(count(), 1U);
}

}  // namespace
}  // namespace belljar::daemon
