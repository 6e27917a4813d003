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

/// `script` on the host, with git that takes local files for submodules.
bool on_host(World& world, const std::string& script) {
  return World::host("cd " + world.path("") +
                     " && export HOME=/nonexistent GIT_CONFIG_COUNT=3 GIT_CONFIG_KEY_0=protocol.file.allow "
                     "GIT_CONFIG_VALUE_0=always GIT_CONFIG_KEY_1=user.name GIT_CONFIG_VALUE_1=n "
                     "GIT_CONFIG_KEY_2=user.email GIT_CONFIG_VALUE_2=e@x; (set -e; " +
                     script + ") >/dev/null 2>&1");
}

TEST_F(GuardTest, HooksAreGuardedWhereGitRunsThem) {
  testing::as_each_user([](World& world) {
    make_repository(world);
    ASSERT_TRUE(on_host(
        world,
        "git init -q lib; cd lib; mkdir hooks tools; echo x > hooks/pre-commit; cp -r hooks tools; git add "
        ".; "
        "git commit -qm one; cd ../project; git submodule add -q ../lib deps/lib; git commit -qm lib; "
        "git -C deps/lib config core.hooksPath hooks; mkdir tools; git config core.hooksPath tools; "
        "git worktree add -q ../project/linked; mkdir linked/tools"));
    auto jar = world.start();
    ASSERT_TRUE(jar.ok()) << jar.error().to_string();
    for (const auto* attack : {"echo y >> deps/lib/hooks/pre-commit", "mv deps/lib/hooks deps/lib/h",
                               "echo y > tools/pre-commit", "echo y > linked/tools/pre-commit", "mv linked l",
                               "echo y > .git/modules/deps/lib/hooks/pre-commit",
                               "echo ../../../evil > .git/worktrees/linked/commondir"})
      EXPECT_NE(in_project(world, **jar, attack).code, 0) << attack;
    auto works =
        in_project(world, **jar,
                   "set -e; cd linked; echo b > b; git add b; git commit -qm two; git log --oneline | wc -l");
    EXPECT_EQ(works.code, 0) << works.output;
    ASSERT_TRUE((*jar)->stop().ok());
    EXPECT_TRUE(host_stays_untouched(world));
  });
}

TEST_F(GuardTest, ALinkedWorktreeAsWorkspaceHasItsGitDirectoryAndThatIsGuarded) {
  testing::as_each_user([](World& world) {
    ASSERT_TRUE(on_host(
        world,
        "git init -q main; cd main; echo a > a; mkdir tools; echo x > tools/pre-commit; git add .; "
        "git commit -qm one; git config core.hooksPath tools; rm -rf .git/hooks/*; echo private > secret; "
        "rm -rf ../project; git worktree add -q ../project"));
    auto jar = world.start();
    ASSERT_TRUE(jar.ok()) << jar.error().to_string();
    EXPECT_THAT((*jar)->report().unguarded, ::testing::IsEmpty());
    auto main = world.path("main");
    auto works = in_project(
        world, **jar,
        "set -e; git config user.name n; git config user.email e@x; echo b > b; git add b; "
        "git commit -qm two; git checkout -qb topic; git status --short; git log --oneline | wc -l");
    EXPECT_EQ(works.code, 0) << works.output;
    EXPECT_THAT(works.output, HasSubstr("2\n"));
    auto git = main + "/.git";
    for (const auto& attack : std::vector<std::string>{
             "cat " + main + "/secret", "echo y >> tools/pre-commit", "echo y > " + git + "/hooks/pre-commit",
             "mv " + git + "/hooks " + git + "/h", "echo ../evil > " + git + "/commondir", "echo x > .git",
             "echo /evil > " + git + "/worktrees/project/commondir"})
      EXPECT_NE(in_project(world, **jar, attack).code, 0) << attack;
    (void)in_project(world, **jar, "git config core.fsmonitor 'touch " + world.path("canary") + "'");
    auto since = (*jar)->started();
    auto directory = (*jar)->report().git_directory;
    EXPECT_EQ(directory, git);
    ASSERT_TRUE((*jar)->stop().ok());
    std::string found;
    auto traps = find_traps(directory, since, {""}).value();
    for (const auto& trap : traps)
      found += trap.path + ": " + trap.why + "\n";
    EXPECT_EQ(found, "");
    EXPECT_TRUE(host_stays_untouched(world));
    jar->reset();
    EXPECT_TRUE(on_host(world,
                        "cd main; test $(git log --oneline topic | wc -l) = 2; test ! -e .git/commondir; "
                        "! grep -q fsmonitor .git/config; test ! -e .git/tools"));
  });
}

TEST_F(GuardTest, ASubmoduleAsWorkspaceHasItsGitDirectoryAndThatIsGuarded) {
  testing::as_each_user([](World& world) {
    ASSERT_TRUE(on_host(
        world,
        "git init -q lib; cd lib; mkdir hooks; echo x > hooks/pre-commit; git add .; git commit -qm one; "
        "cd ..; rm -rf project; git init -q super; cd super; git submodule add -q ../lib part; "
        "git -C part config core.hooksPath hooks; rm -rf .git/hooks .git/modules/part/hooks; "
        "mv part ../project; git config -f .git/modules/part/config core.worktree ../../../../project; "
        "echo 'gitdir: ../super/.git/modules/part' > ../project/.git"));
    auto jar = world.start();
    ASSERT_TRUE(jar.ok()) << jar.error().to_string();
    auto git = world.path("super/.git/modules/part");
    EXPECT_EQ((*jar)->report().git_directory, git);
    auto works =
        in_project(world, **jar,
                   "set -e; git config user.name n; git config user.email e@x; echo b > b; git add b; "
                   "git -c core.hooksPath=/dev/null commit -qm two; git log --oneline | wc -l");
    EXPECT_EQ(works.code, 0) << works.output;
    for (const auto& attack :
         std::vector<std::string>{"echo y >> hooks/pre-commit", "mv hooks h", "mkdir -p " + git + "/hooks/x",
                                  "ls " + world.path("super/.git/HEAD")})
      EXPECT_NE(in_project(world, **jar, attack).code, 0) << attack;
    ASSERT_TRUE((*jar)->stop().ok());
    EXPECT_TRUE(host_stays_untouched(world));
    EXPECT_TRUE(on_host(world, "cd project; test $(git log --oneline | wc -l) = 2"));
  });
}

TEST_F(GuardTest, AGitFileThatTheOtherSideDoesNotConfirmIsNotFollowed) {
  testing::as_each_user([](World& world) {
    ASSERT_TRUE(on_host(world,
                        "git init -q other; cd other; echo a > a; git add a; git commit -qm one; "
                        "git worktree add -q ../elsewhere"));
    for (const auto* target : {"../other/.git", "../other/.git/worktrees/elsewhere", "/etc", "/nowhere"}) {
      ASSERT_TRUE(
          on_host(world, std::string("rm -rf project/.git; echo 'gitdir: ") + target + "' > project/.git"));
      auto jar = world.start();
      ASSERT_TRUE(jar.ok()) << jar.error().to_string();
      EXPECT_EQ((*jar)->report().git_directory, "") << target;
      EXPECT_THAT((*jar)->report().unguarded, ::testing::Not(::testing::IsEmpty())) << target;
      EXPECT_NE(in_project(world, **jar, "ls " + world.path("other")).code, 0) << target;
      ASSERT_TRUE((*jar)->stop().ok());
    }
  });
}

TEST_F(GuardTest, OfPlacesThatCantBeGuardedAFewAreToldAndHowManyMore) {
  testing::as_each_user([](World& world) {
    ASSERT_TRUE(on_host(world,
                        "cd project; for n in $(seq 100); do mkdir -p d/$n; ln -s x d/$n/.git; done; "
                        "mkdir e; (printf 'gitdir: /'; head -c 100000 /dev/zero | tr '\\0' a) > e/.git"));
    auto jar = world.start();
    ASSERT_TRUE(jar.ok()) << jar.error().to_string();
    const auto& unguarded = (*jar)->report().unguarded;
    EXPECT_EQ(unguarded.size(), 9U);
    EXPECT_THAT(unguarded, ::testing::Contains(HasSubstr("and 93 more")));
    for (const auto& line : unguarded)
      EXPECT_LT(line.size(), 1000U);
  });
}

TEST_F(GuardTest, AGuardedFileWithASecondNameIsRefused) {
  testing::as_each_user([](World& world) {
    ASSERT_TRUE(on_host(world,
                        "cd project && git init -q sub && ln sub/.git/config sub/notes && "
                        "printf '#!/bin/sh\n' > hook && mkdir -p sub/.git/hooks && "
                        "ln hook sub/.git/hooks/pre-commit"));
    auto refused = world.start();
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().to_string(), HasSubstr("sub/.git/config has another name"));
    EXPECT_THAT(refused.error().to_string(), HasSubstr("sub/.git/hooks/pre-commit has another name"));
    ASSERT_TRUE(on_host(world, "cd project && rm hook sub/notes"));
    auto jar = world.start();
    EXPECT_TRUE(jar.ok()) << jar.error().to_string();
  });
}

TEST_F(GuardTest, AWorkspaceThatCantBeGuardedAsAWholeIsRefusedUnlessAsked) {
  testing::as_each_user([](World& world) {
    ASSERT_TRUE(on_host(world, "for n in $(seq 257); do mkdir -p project/r$n/.git; done"));
    auto refused = world.start();
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(
        refused.error().to_string(),
        HasSubstr("can't be guarded as a whole: it has 257 git directories, of which 256 can be guarded"));
    EXPECT_THAT(refused.error().hint(), HasSubstr("--allow-unguarded"));
    auto spec = world.spec();
    spec.allow_unguarded = true;
    auto jar = world.backend().start(spec);
    ASSERT_TRUE(jar.ok()) << jar.error().to_string();
    EXPECT_THAT((*jar)->report().unguarded, ::testing::Contains(HasSubstr("257 git directories")));
  });
}

}  // namespace
}  // namespace belljar::jar
