// The workspace's guard against the tricks that other sandboxes fell for, with git on the host as the judge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jar/namespaces/testing/world.h"
#include "jar/workspace/traps.h"

namespace belljar::jar {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::World;

class GuardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (auto why = testing::unavailable(); !why.empty()) GTEST_SKIP() << why;
    if (!World::host("git --version >/dev/null 2>&1")) GTEST_SKIP() << "git isn't installed";
  }
};

/// A repository with one commit in the workspace.
void make_repository(World& world) {
  ASSERT_TRUE(
      World::host("cd " + world.path("project") +
                  " && git init -q . && git config user.name n && git config user.email e@x && echo a > a && "
                  "git add a && git commit -qm one && rm -rf .git/hooks/*"));
}

Outcome in_project(World& world, RunningJar& jar, const std::string& script) {
  return testing::shell(jar, "cd " + world.path("project") + " && " + script);
}

/// What somebody does who looks at the result; true when nothing of the jar's ran.
bool host_stays_untouched(World& world) {
  auto project = world.path("project");
  World::host("cd " + project +
              " && export HOME=/nonexistent && (git status; git diff; git log -1; git fetch; git stash list) "
              ">/dev/null 2>&1");
  struct stat status {};
  return ::stat(world.path("canary").c_str(), &status) < 0;
}

TEST_F(GuardTest, AWorkspaceThatIsABareRepositoryItself) {
  testing::as_each_user([](World& world) {
    auto project = world.path("project");
    ASSERT_TRUE(World::host("cd " + project + " && rm -rf * && git init -q --bare . && rm -rf hooks/*"));
    auto started = world.start();
    ASSERT_TRUE(started.ok()) << started.error().to_string();
    auto plant = "touch " + world.path("canary");
    auto outcome = in_project(world, **started,
                              "git log; (echo '[core]'; echo 'fsmonitor = " + plant + "') >> config; echo '" +
                                  plant + "' > hooks/post-update; echo x > objects/writable && echo done");
    EXPECT_THAT(outcome.output, HasSubstr("done"));
    EXPECT_TRUE((*started)->stop().ok());
    EXPECT_FALSE(World::host("grep -q fsmonitor " + project + "/config"));
    EXPECT_FALSE(World::host("test -e " + project + "/hooks/post-update"));
    EXPECT_FALSE(World::host("test -e " + project + "/commondir"));
  });
}

TEST_F(GuardTest, GitWorksInside) {
  testing::as_each_user([](World& world) {
    make_repository(world);
    auto jar = world.start().value();
    auto outcome =
        in_project(world, *jar,
                   "set -e; echo b > b; git add b; git commit -qm two; git checkout -qb topic; git branch -m "
                   "better; git stash list; git config x.y z; git config x.y; git gc -q; git remote add o "
                   "https://example.org/r; git status --short; git log --oneline | wc -l");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("z\n"));
    EXPECT_THAT(outcome.output, HasSubstr("2\n"));
    ASSERT_TRUE(jar->stop().ok());
    EXPECT_THAT(world.read("project/.git/config"), ::testing::Not(HasSubstr("example.org")));
    EXPECT_EQ(world.read("project/.git/HEAD"), "ref: refs/heads/better\n");
  });
}

TEST_F(GuardTest, ControlFilesCannotBePlanted) {
  testing::as_each_user([](World& world) {
    make_repository(world);
    auto evil = "'[core]\n\tfsmonitor = touch " + world.path("canary") + "\n'";
    {
      auto jar = world.start().value();
      for (const auto& attack : std::vector<std::string>{
               "printf " + evil + " >> .git/config",
               "git config core.fsmonitor 'touch " + world.path("canary") + "'",
               "rm -f .git/config; printf " + evil + " > .git/config",
               "printf " + evil + " > c && mv -f c .git/config",
               std::string("mv .git .git2 && cp -r .git2 .git && printf ") + evil + " >> .git/config",
               "mv .git/info .git/info2",
               "printf '#!/bin/sh\ntouch " + world.path("canary") + "\n' > .git/hooks/post-checkout",
               "rm -rf .git/hooks && mkdir .git/hooks && echo > .git/hooks/x",
               "mv .git/hooks .git/h",
               "mkdir -p ev && printf " + evil + " > ev/config && echo ../ev > .git/commondir",
               std::string("rm -f .git/commondir && echo ../ev > .git/commondir"),
               "printf " + evil + " > .git/config.worktree && git config extensions.worktreeConfig true",
               "ln -sf /etc/passwd .git/config",
               "umount .git/config; umount -l .git",
           })
        (void)in_project(world, *jar, attack);
      EXPECT_TRUE(host_stays_untouched(world)) << "while the jar runs";
      ASSERT_TRUE(jar->stop().ok());
    }
    EXPECT_TRUE(host_stays_untouched(world));
    EXPECT_THAT(world.read("project/.git/config"), ::testing::Not(HasSubstr("canary")));
    struct stat status {};
    EXPECT_LT(::stat(world.path("project/.git/commondir").c_str(), &status), 0) << "left behind";
    EXPECT_EQ(::stat(world.path("project/.git/hooks").c_str(), &status), 0);
  });
}

TEST_F(GuardTest, PlacesThatTheConfigurationNamesAreGuarded) {
  testing::as_each_user([](World& world) {
    make_repository(world);
    auto project = world.path("project");
    ASSERT_TRUE(
        World::host("cd " + project +
                    " && mkdir tools && echo '#!/bin/sh' > tools/post-index-change && chmod +x tools/* && "
                    "git config core.hooksPath tools && git config include.path ../team.config && "
                    "mkdir shared && mv .git/info shared/info && ln -s ../shared/info .git/info && "
                    "mkdir real && rm -rf .git/hooks && ln -s ../real .git/hooks"));
    auto jar = world.start();
    ASSERT_TRUE(jar.ok()) << jar.error().to_string();
    EXPECT_NE(in_project(world, **jar, "echo x >> tools/post-index-change").code, 0);
    EXPECT_NE(in_project(world, **jar, "mv tools t").code, 0);
    EXPECT_NE(in_project(world, **jar, "echo x >> team.config").code, 0);
    EXPECT_NE(in_project(world, **jar, "mv -f .git/HEAD team.config").code, 0);
    EXPECT_NE(in_project(world, **jar, "rm .git/hooks").code, 0);
    EXPECT_NE(in_project(world, **jar, "mkdir h && mv -T h .git/hooks").code, 0);
    ASSERT_TRUE((*jar)->stop().ok());
    struct stat status {};
    EXPECT_LT(::stat(world.path("project/team.config").c_str(), &status), 0) << "left behind";
  });
}

TEST_F(GuardTest, WhatACrashLeftIsRemovedAtTheNextStart) {
  testing::as_each_user([](World& world) {
    make_repository(world);
    World::host("rmdir " + world.path("project/.git/hooks"));
    pid_t keeper = ::fork();
    if (keeper == 0) {
      auto jar = world.start();
      ::kill(::getpid(), SIGKILL);
    }
    int ended = 0;
    ::waitpid(keeper, &ended, 0);
    EXPECT_EQ(world.read("project/.git/commondir"), ".\n");
    EXPECT_TRUE(World::host("cd " + world.path("project") + " && HOME=/nonexistent git status >/dev/null"));
    { auto jar = world.start().value(); }
    struct stat status {};
    EXPECT_LT(::stat(world.path("project/.git/commondir").c_str(), &status), 0);
    EXPECT_LT(::stat(world.path("project/.git/hooks").c_str(), &status), 0);
  });
}

TEST_F(GuardTest, NestedRepositoriesThatWereThereAreGuarded) {
  testing::as_each_user([](World& world) {
    make_repository(world);
    ASSERT_TRUE(World::host("cd " + world.path("project") + " && mkdir -p deps && git init -q deps/lib"));
    auto jar = world.start().value();
    EXPECT_NE(in_project(world, *jar, "mv deps/lib/.git deps/lib/g").code, 0);
    EXPECT_NE(in_project(world, *jar, "mv deps/lib deps/l").code, 0);
    EXPECT_NE(in_project(world, *jar, "mv deps d").code, 0);
    EXPECT_NE(in_project(world, *jar, "echo x > deps/lib/.git/hooks/post-checkout").code, 0);
  });
}

TEST_F(GuardTest, WhatNoMountCanStopIsListed) {
  testing::as_each_user([](World& world) {
    make_repository(world);
    auto jar = world.start().value();
    auto outcome = in_project(
        world, *jar,
        "set -e; git init -q sub; git -C sub config core.fsmonitor /tmp/x; "
        "mkdir .vscode; echo {} > .vscode/tasks.json; echo x > .envrc; ln -s /etc/passwd out; "
        "git init -q --bare b.git; printf '#!/bin/sh\n' > b.git/hooks/update; chmod +x b.git/hooks/update");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    auto since = jar->started();
    auto guarded = jar->report().guarded;
    ASSERT_TRUE(jar->stop().ok());
    std::string found;
    auto traps = find_traps(world.spec().workspace, since, guarded).value();
    for (const auto& trap : traps)
      found += trap.path + "\n";
    for (const auto* path :
         {"sub/.git/config\n", ".vscode/tasks.json\n", ".envrc\n", "out\n", "b.git/hooks/update\n"})
      EXPECT_THAT(found, HasSubstr(path));
    EXPECT_THAT(found, ::testing::Not(::testing::StartsWith(".git/")));
  });
}

}  // namespace
}  // namespace belljar::jar
