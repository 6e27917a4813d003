#include "jar/workspace/refusal.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar::jar {
namespace {

TEST(Refusal, WhatIsNoProject) {
  for (const auto* path : {"/",
                           "/home",
                           "/home/u",
                           "/usr",
                           "/usr/lib/x",
                           "/etc",
                           "/etc/x",
                           "/proc/1",
                           "/run/user/1",
                           "/dev/shm/x",
                           "/var",
                           "/tmp",
                           "/home/u/.local",
                           "/home/u/.local/state/belljar/x",
                           "relative",
                           "",
                           "/home/u/src/../..",
                           "/home/u/src/",
                           "/home//u/src",
                           "/no/such/directory"}) {
    auto checked = check_workspace(path, {"/home/u"}, {"/home/u/.local/state/belljar"});
    EXPECT_FALSE(checked.ok()) << path;
  }
}

TEST(Refusal, AProjectIsFine) {
  char name[] = "/tmp/belljar-refusal-XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  auto checked = check_workspace(name, {"/home/u"}, {"/home/u/.local/state/belljar"});
  EXPECT_TRUE(checked.ok()) << checked.error().to_string();
  EXPECT_FALSE(check_workspace(name, {std::string(name) + "/home"}, {}).ok());  // contains a home
  EXPECT_FALSE(check_workspace(name, {}, {std::string(name) + "/state"}).ok());
  for (std::string below : {"/.git", "/.git/hooks", "/.github"}) {
    ::mkdir((name + below).c_str(), 0700);
    EXPECT_EQ(check_workspace(name + below, {"/home/u"}, {}).ok(), below == "/.github") << below;
  }
  for (const auto* below : {"/.git/hooks", "/.git", "/.github"})
    ::rmdir((std::string(name) + below).c_str());
  ::rmdir(name);
}

}  // namespace
}  // namespace belljar::jar
