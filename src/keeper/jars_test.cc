#include "keeper/jars.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keeper/end_record.h"
#include "keeper/removal.h"
#include "keeper/written_by_jars.h"
#include "os/fd.h"

namespace belljar::keeper {
namespace {

using testing::HasSubstr;

class JarsTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/belljar-test-XXXXXX";
    root_ = ::mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  Jars open() { return Jars::open(root_ + "/jars").value(); }
  std::string root_;
};

TEST_F(JarsTest, AJarIsFoundAgainByItsWorkspace) {
  auto jars = open();
  { auto taken = jars.take({.name = "app", .workspace = "/src/app", .agent = "claude"}).value(); }
  auto found = jars.find_of_workspace("/src/app").value();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->name, "app");
  EXPECT_EQ(found->agent, "claude");
  EXPECT_FALSE(found->running);
  EXPECT_FALSE(jars.find_of_workspace("/src").value().has_value());
}

// A second jar is made with --jar, under a name that sorts before the first or behind it.
TEST_F(JarsTest, OfSeveralJarsOfADirectoryTheOldestIsMeant) {
  auto jars = open();
  auto record = [&](const std::string& name, int created) {
    { auto taken = jars.take({.name = name, .workspace = "/src/app"}).value(); }
    ASSERT_TRUE(os::write_file_atomically(root_ + "/jars/" + name + "/jar.json",
                                          R"({"version":1,"workspace":"/src/app","agent":"","created":)" +
                                              std::to_string(created) + "}")
                    .ok());
  };
  record("middle", 100);
  record("after", 200);
  record("zebra", 300);
  auto found = jars.find_of_workspace("/src/app").value();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->name, "middle");
  EXPECT_THAT(found->others_of_workspace, testing::ElementsAre("after", "zebra"));
  record("zebra", 50);
  EXPECT_EQ(jars.find_of_workspace("/src/app").value()->name, "zebra");
  EXPECT_THAT(jars.find_of_workspace("/src/app").value()->others_of_workspace,
              testing::UnorderedElementsAre("after", "middle"));
}

TEST_F(JarsTest, ARunningJarIsNeitherTakenNorRemoved) {
  auto jars = open();
  auto taken = jars.take({.name = "app", .workspace = "/src/app"}).value();
  EXPECT_TRUE(jars.find("app")->running);
  EXPECT_THAT(jars.take({.name = "app", .workspace = "/src/app"}).error().to_string(),
              HasSubstr("is running"));
  EXPECT_THAT(jars.remove("app").error().to_string(), HasSubstr("is running"));
}

TEST_F(JarsTest, AListingNeverStandsInTheWayOfAStart) {
  auto jars = open();
  { auto taken = jars.take({.name = "app", .workspace = "/src/app"}).value(); }
  std::atomic<bool> done = false;
  std::thread lister([&] {
    while (!done)
      (void)jars.list();
  });
  int refused = 0;
  for (int n = 0; n < 200; ++n)
    refused += jars.take({.name = "app", .workspace = "/src/app"}).ok() ? 0 : 1;
  done = true;
  lister.join();
  EXPECT_EQ(refused, 0);
}

TEST_F(JarsTest, ARemovalThatWasCutLeavesNoNameTaken) {
  auto jars = open();
  { auto taken = jars.take({.name = "app", .workspace = "/src/app"}).value(); }
  std::filesystem::create_directories(root_ + "/jars/app/home/kept");
  std::filesystem::rename(root_ + "/jars/app", root_ + "/jars/.removed-app-1");
  EXPECT_TRUE(jars.list().value().empty());
  { auto taken = jars.take({.name = "app", .workspace = "/elsewhere"}).value(); }
  ASSERT_TRUE(jars.remove("app").ok());
  EXPECT_TRUE(std::filesystem::is_empty(root_ + "/jars"));
}

TEST_F(JarsTest, ARemovalThatWasCutOffBetweenRulesAndJarKeepsTheNameTaken) {
  auto jars = open();
  { auto taken = jars.take({.name = "app", .workspace = "/src/app"}).value(); }
  bool rules = true, name_was_taken = false;
  auto take_rules = [&](bool cut) -> Result<void> {
    if (cut) return Error(ErrorCode::internal, "cut off");
    rules = false;
    name_was_taken = jars.find("app").ok();
    return {};
  };
  EXPECT_FALSE(jars.remove("app", [&] { return take_rules(true); }).ok());
  // Neither a jar without its rules nor rules for the next jar of that name.
  EXPECT_THAT(jars.take({.name = "app", .workspace = "/src/app"}).error().to_string(), HasSubstr("cut off"));
  EXPECT_TRUE(rules);
  ASSERT_TRUE(jars.remove("app", [&] { return take_rules(false); }).ok());
  EXPECT_FALSE(rules);
  EXPECT_TRUE(name_was_taken);
  EXPECT_TRUE(jars.take({.name = "app", .workspace = "/elsewhere"}).ok());
}

TEST_F(JarsTest, AJarThatWasMadeForAStartGoesWhereNothingHasRun) {
  auto jars = open();
  auto directory = root_ + "/jars";
  auto start = [&](bool settles, bool runs) {
    auto taken = jars.take({.name = "app", .workspace = "/src/app"}).value();
    FirstStart first(directory, "app", taken.made);
    if (settles) first.keep();
    if (runs) (void)write_end(taken.directory, {.time = 1, .exit_code = 0});
  };
  start(false, false);
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  start(false, true);
  EXPECT_TRUE(jars.find("app").ok());
  ASSERT_TRUE(jars.remove("app").ok());
  start(true, false);
  start(false, false);  // there before this start
  EXPECT_TRUE(jars.find("app").ok());
}

TEST_F(JarsTest, AJarWhoseLockAKeeperGotGoesOnlyWhereNobodyHasTakenItSince) {
  auto jars = open();
  auto start = [&](bool keeper_lives, bool taken_since, bool keeps) {
    auto taken = std::optional(jars.take({.name = "app", .workspace = "/src/app"}).value());
    {
      FirstStart first(root_ + "/jars", "app", taken->made);
      first.hand_over_lock();
      if (keeps) first.keep();
      if (!keeper_lives) taken.reset();
      ::usleep(20'000);
      if (taken_since) (void)jars.take({.name = "app", .workspace = "/src/app"}).value();
    }
    taken.reset();
    bool stays = jars.find("app").ok();
    if (stays) (void)jars.remove("app");
    return stays;
  };
  EXPECT_TRUE(start(true, false, false));
  EXPECT_TRUE(start(false, true, false));
  EXPECT_TRUE(start(false, false, true));
  EXPECT_FALSE(start(false, false, false));
}

TEST_F(JarsTest, AJarIsNewWhereItsDirectoryHoldsNothingYet) {
  auto jars = open();
  auto directory = root_ + "/jars/app";
  std::filesystem::create_directories(directory);  // by a start that has not got the lock yet
  EXPECT_TRUE(jars.take({.name = "app", .workspace = "/src/app"}).value().made);
  std::filesystem::remove(directory + "/jar.json");
  std::filesystem::create_directories(directory + "/home");
  EXPECT_FALSE(jars.take({.name = "app", .workspace = "/src/app"}).value().made);
}

TEST_F(JarsTest, AJarBelongsToItsWorkspace) {
  auto jars = open();
  { auto taken = jars.take({.name = "app", .workspace = "/src/app"}).value(); }
  EXPECT_THAT(jars.take({.name = "app", .workspace = "/other"}).error().to_string(),
              HasSubstr("belongs to /src/app"));
}

TEST_F(JarsTest, NamesAreMadeOfTheWorkspacesName) {
  auto jars = open();
  EXPECT_EQ(jars.choose_name("/src/My App!").value(), "my-app");
  EXPECT_EQ(jars.choose_name("/src/---").value(), "jar");
  { auto taken = jars.take({.name = "app", .workspace = "/src/app"}).value(); }
  EXPECT_EQ(jars.choose_name("/elsewhere/app").value(), "app-2");
}

TEST_F(JarsTest, AWorkspaceThatWouldNotBeFoundAgainIsRefused) {
  auto jars = open();
  EXPECT_THAT(jars.take({.name = "app", .workspace = "/src/caf\xe9"}).error().to_string(),
              HasSubstr("UTF-8"));
  EXPECT_TRUE(jars.list().value().empty());
  EXPECT_TRUE(jars.take({.name = "app", .workspace = "/src/caf\u00e9"}).ok());
}

TEST_F(JarsTest, ADamagedRecordLosesNothing) {
  auto jars = open();
  { auto taken = jars.take({.name = "app", .workspace = "/src/app"}).value(); }
  std::filesystem::create_directories(root_ + "/jars/app/home");
  ASSERT_TRUE(os::write_file_atomically(root_ + "/jars/app/jar.json", "{ cut").ok());
  EXPECT_TRUE(jars.find("app")->damaged);
  {
    auto taken = jars.take({.name = "app", .workspace = "/src/app"}).value();
    EXPECT_TRUE(taken.repaired);
  }
  EXPECT_EQ(os::read_file(root_ + "/jars/app/jar.json.damaged", 100).value(), "{ cut");
  EXPECT_FALSE(jars.find("app")->damaged);
  EXPECT_TRUE(std::filesystem::exists(root_ + "/jars/app/home"));
}

TEST_F(JarsTest, WhatJarsCanWriteIsReadAnewAndAnErrorWhereOneCanNotTell) {
  auto jars = open();
  auto written = written_by_jars(root_ + "/jars");
  EXPECT_THAT(written().value(), testing::ElementsAre(root_ + "/jars"));
  { auto taken = jars.take({.name = "app", .workspace = "/src/app"}).value(); }
  ASSERT_TRUE(os::write_file_atomically(git_directory_note(root_ + "/jars/app"), "/src/main/.git").ok());
  EXPECT_THAT(written().value(), testing::ElementsAre("/src/app", "/src/main/.git", root_ + "/jars"));
  std::filesystem::create_directories(root_ + "/jars/made");  // no record yet: nothing has run in it
  EXPECT_TRUE(written().ok());
  std::filesystem::create_directories(root_ + "/jars/app/home");
  for (const auto* damaged : {"{ cut", "{}", R"({"workspace": 1})"}) {
    ASSERT_TRUE(os::write_file_atomically(root_ + "/jars/app/jar.json", damaged).ok());
    EXPECT_THAT(written().error().to_string(), HasSubstr("jar 'app' is damaged")) << damaged;
  }
  std::filesystem::remove(root_ + "/jars/app/jar.json");
  EXPECT_FALSE(written().ok());
}

TEST_F(JarsTest, AnUnknownNameIsToldTheKnownOnes) {
  auto jars = open();
  EXPECT_THAT(jars.find("nope").error().to_string(), HasSubstr("there are none yet"));
  { auto taken = jars.take({.name = "app", .workspace = "/src/app"}).value(); }
  EXPECT_THAT(jars.find("nope").error().to_string(), HasSubstr("there are: app"));
  EXPECT_FALSE(jars.take({.name = "../escape", .workspace = "/x"}).ok());
}

TEST_F(JarsTest, RemovesWhatAJarMadeUnreadableAndDeep) {
  auto jars = open();
  { auto taken = jars.take({.name = "app", .workspace = "/src/app"}).value(); }
  std::string deep = root_ + "/jars/app/home";
  std::filesystem::create_directories(deep);
  auto directory = os::open_file(deep, O_RDONLY | O_DIRECTORY).value();
  for (int level = 0; level < 2100; ++level) {  // deeper than PATH_MAX can name
    ASSERT_EQ(::mkdirat(directory.get(), "d", 0700), 0);
    directory = os::open_file_at(directory.get(), "d", O_RDONLY | O_DIRECTORY).value();
  }
  std::filesystem::create_directories(root_ + "/jars/app/home/locked/inner");
  std::filesystem::permissions(root_ + "/jars/app/home/locked", std::filesystem::perms::none);
  std::filesystem::create_directories(root_ + "/outside/kept");
  std::filesystem::create_symlink(root_ + "/outside", root_ + "/jars/app/home/link");
  auto removed = jars.remove("app");
  ASSERT_TRUE(removed.ok()) << removed.error().to_string();
  EXPECT_FALSE(std::filesystem::exists(root_ + "/jars/app"));
  EXPECT_TRUE(std::filesystem::exists(root_ + "/outside/kept"));
}

}  // namespace
}  // namespace belljar::keeper
