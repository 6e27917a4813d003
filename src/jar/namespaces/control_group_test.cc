#include "jar/namespaces/control_group.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

namespace belljar::jar {
namespace {

namespace fs = std::filesystem;

// Any directory will do: the kernel's own part, that one with processes can't be removed, isn't tried here.
class ControlGroupTest : public ::testing::Test {
 protected:
  ControlGroupTest() {
    char name[] = "/tmp/belljar-groups-XXXXXX";
    parent = ::mkdtemp(name);
  }
  ~ControlGroupTest() override { fs::remove_all(parent); }
  std::string parent;
};

TEST_F(ControlGroupTest, ASweepTakesWhatWasLeftAndNotWhatIsBeingMade) {
  {
    auto group = make_group(parent, "belljar-app-1").value();
    fs::create_directories(parent + "/belljar-left");
    fs::create_directories(parent + "/other");
    sweep_groups(parent, "belljar-");
    EXPECT_TRUE(fs::exists(group.path));
    EXPECT_FALSE(fs::exists(parent + "/belljar-left"));
    EXPECT_TRUE(fs::exists(parent + "/other"));
    EXPECT_FALSE(make_group(parent, "belljar-app-1").ok());
    EXPECT_TRUE(fs::exists(group.path));
  }
  sweep_groups(parent, "belljar-");
  EXPECT_FALSE(fs::exists(parent + "/belljar-app-1"));
}

TEST_F(ControlGroupTest, WhatWasMadeIsThereHoweverOthersSweep) {
  auto sweeper = ::fork();
  if (sweeper == 0)
    while (true)
      sweep_groups(parent, "");
  int missing = 0;
  for (int n = 0; n < 500; ++n) {
    auto group = make_group(parent, "app");
    ::usleep(20);
    if (!group || !fs::exists(parent + "/app")) ++missing;
    fs::remove(parent + "/app");
  }
  ::kill(sweeper, SIGKILL);
  ::waitpid(sweeper, nullptr, 0);
  EXPECT_EQ(missing, 0);
}

}  // namespace
}  // namespace belljar::jar
