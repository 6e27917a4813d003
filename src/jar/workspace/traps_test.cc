#include "jar/workspace/traps.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/workspace/changed.h"
#include "os/fd.h"

namespace belljar::jar {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class TrapsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/belljar-traps-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& content = "x", mode_t mode = 0644) const {
    fs::create_directories(fs::path(root_ + "/" + path).parent_path());
    os::write_file_atomically(root_ + "/" + path, content, mode).value();
    ::chmod((root_ + "/" + path).c_str(), mode);
  }
  /// What happens from here on is the jar's.
  void start() {
    ::usleep(20'000);  // the clock of inodes moves in steps
    ::clock_gettime(CLOCK_REALTIME_COARSE, &since_);
    ::usleep(20'000);
  }
  [[nodiscard]] std::vector<std::string> found(const std::vector<std::string>& guarded = {}) const {
    std::vector<std::string> paths;
    auto traps = find_traps(root_, since_, guarded).value();
    for (const auto& trap : traps) {
      EXPECT_FALSE(trap.why.empty());
      paths.push_back(trap.path);
    }
    return paths;
  }
  void make_git(const std::string& path, const std::string& config) const {
    fs::create_directories(root_ + "/" + path + "/objects");
    fs::create_directories(root_ + "/" + path + "/refs");
    write(path + "/HEAD", "ref: refs/heads/main\n");
    write(path + "/config", config);
  }

  std::string root_;
  timespec since_{};
};

constexpr const char* kEvil = "[core]\n\tfsmonitor = /tmp/x\n";

TEST_F(TrapsTest, WhatStoodThereBeforeIsNotListed) {
  write(".envrc");
  write(".vscode/tasks.json");
  make_git("sub/.git", kEvil);
  fs::create_symlink("/home", root_ + "/link");
  start();
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(TrapsTest, ListsWhatRunsByItself) {
  start();
  for (const auto* path : {".envrc",
                           ".mcp.json",
                           ".vscode/tasks.json",
                           ".vscode/settings.json",
                           ".idea/workspace.xml",
                           ".devcontainer/devcontainer.json",
                           ".claude/settings.json",
                           ".claude/hooks/a.sh",
                           ".claude/skills/x/SKILL.md",
                           ".codex/config.toml",
                           ".cursor/mcp.json",
                           ".gemini/settings.json",
                           ".husky/pre-commit",
                           ".pre-commit-config.yaml",
                           ".github/workflows/ci.yml",
                           ".npmrc",
                           ".tool-versions",
                           "tests/conftest.py",
                           ".zshenv",
                           "AGENTS.md"})
    write(path);
  write("package.json", "{\"scripts\": {\"postinstall\": \"x\"}}");
  write(".gitattributes", "*.c filter=lfs\n");
  write("src/main.c");
  write("node_modules/p/.envrc");
  write("README.md");
  EXPECT_EQ(found().size(), 22U);
}

TEST_F(TrapsTest, AHarmlessProjectHasNone) {
  start();
  write("src/main.c");
  write("package.json", "{\"scripts\": {\"test\": \"x\"}}");
  write(".gitattributes", "*.c text\n");
  make_git("lib/.git", "[core]\n\tbare = false\n");
  write("lib/.git/hooks/pre-commit.sample", "x", 0755);
  fs::create_symlink("../src", root_ + "/lib/src");
  fs::create_symlink("/usr/bin/python3", root_ + "/python");
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(TrapsTest, ListsRepositoriesThatExecute) {
  start();
  make_git("a/.git", kEvil);
  make_git("b/.git", "[core]\n");
  write("b/.git/hooks/post-checkout", "x", 0755);
  make_git("bare.git", kEvil);
  make_git("c/.git", "[core]\n");
  write("c/.git/commondir", "../../ev\n");
  write("c/.git/objects/info/alternates", "/home/o\n");
  write("d/.git", "gitdir: /tmp/elsewhere\n");
  make_git("e/.git", "[core]\n");
  make_git("e/.git/modules/m/n", kEvil);
  write("c/.git/rebase-merge/git-rebase-todo", "pick 1\nexec x\n");
  EXPECT_THAT(found(), UnorderedElementsAre("a/.git/config", "b/.git/hooks/post-checkout", "bare.git/config",
                                            "c/.git/commondir", "c/.git/objects/info/alternates",
                                            "c/.git/rebase-merge/git-rebase-todo", "d/.git",
                                            "e/.git/modules/m/n/config"));
}

TEST_F(TrapsTest, TheWorkspaceItselfMayBecomeABareRepository) {
  start();
  make_git(".", kEvil);
  EXPECT_THAT(found(), UnorderedElementsAre("./config"));
}

TEST_F(TrapsTest, RenamingOldFilesIntoPlaceCounts) {
  make_git("fixtures/dotgit", kEvil);
  fs::remove_all(root_ + "/fixtures/dotgit/refs");  // no repository where it stood
  write("fixtures/vscode/tasks.json");
  write("fixtures/envrc");
  start();
  fs::rename(root_ + "/fixtures/dotgit", root_ + "/fixtures/.git");
  fs::rename(root_ + "/fixtures/vscode", root_ + "/.vscode");
  fs::rename(root_ + "/fixtures/envrc", root_ + "/.envrc");
  EXPECT_THAT(found(), UnorderedElementsAre("fixtures/.git/config", ".vscode/tasks.json", ".envrc"));
}

TEST_F(TrapsTest, OfAGuardedRepositoryOnlyChangedControlFilesCount) {
  make_git(".git", kEvil);
  start();
  write(".git/index");
  EXPECT_THAT(found({".git"}), IsEmpty());
  write(".git/config", "[core]\n\thooksPath = x\n");
  EXPECT_THAT(found({".git"}), UnorderedElementsAre(".git/config"));
}

TEST_F(TrapsTest, ListsLinksThatLeadOut) {
  start();
  fs::create_symlink("/home/u/.bashrc", root_ + "/out");
  fs::create_symlink("../../etc", root_ + "/up");
  fs::create_symlink("/usr/../home", root_ + "/trick");
  fs::create_symlink("src", root_ + "/in");
  EXPECT_THAT(found(), UnorderedElementsAre("out", "up", "trick"));
}

TEST_F(TrapsTest, ALinkBehindALinkIsTakenForOneThatLeadsOut) {
  start();
  fs::create_directories(root_ + "/a/b/c");
  fs::create_symlink("../../..", root_ + "/a/b/c/root");   // the workspace itself
  fs::create_symlink("root/../..", root_ + "/a/b/c/out");  // by its text a/b
  fs::create_symlink("/usr/..", root_ + "/slash");
  EXPECT_THAT(found(), UnorderedElementsAre("a/b/c/out", "slash"));
}

TEST_F(TrapsTest, ALinkInThePlaceOfADirectoryThatToolsActUpon) {
  write("old/tasks.json");
  start();
  fs::create_symlink("old", root_ + "/.vscode");
  fs::create_symlink("old", root_ + "/.github");
  EXPECT_THAT(found(), UnorderedElementsAre(".vscode", ".github"));
}

TEST_F(TrapsTest, OldFilesDeepInARenamedDirectoryCount) {
  write("old/skills/x/SKILL.md");
  write("ci/work/ci.yml");
  fs::rename(root_ + "/ci/work", root_ + "/ci/workflows");
  start();
  fs::rename(root_ + "/old", root_ + "/.claude");
  fs::rename(root_ + "/ci", root_ + "/.github");
  EXPECT_THAT(found(), UnorderedElementsAre(".claude/skills/x/SKILL.md", ".github/workflows/ci.yml"));
}

TEST_F(TrapsTest, ListsEveryLayoutThatGitTakesForARepository) {
  start();
  make_git("real", "[core]\n");
  fs::remove(root_ + "/real/HEAD");  // of no account by itself
  write("a/HEAD", "ref: refs/heads/main\n");
  write("a/config", kEvil);
  for (const auto* name : {"objects", "refs"})
    fs::create_symlink(std::string("../real/") + name, root_ + "/a/" + name);
  make_git("b", kEvil);
  fs::remove(root_ + "/b/HEAD");
  fs::create_symlink("refs/heads/main", root_ + "/b/HEAD");
  write("c/HEAD", "ref: refs/heads/main\n");
  write("c/commondir", "../real\n");
  EXPECT_THAT(found(), UnorderedElementsAre("a/config", "b/config", "c/commondir"));
}

TEST_F(TrapsTest, ARedirectionIsReadAsGitReadsIt) {
  start();
  for (const auto* name : {"a", "b", "c"})
    make_git(std::string(name) + "/.git", "[core]\n");
  write("a/.git/commondir", ".\n/../../ev\n");
  write("b/.git/commondir", "../..\n");
  write("place", "../../ev\n");
  fs::create_symlink("../../place", root_ + "/c/.git/commondir");
  write("d/.git", "gitdir: ../.git/../ev\n");
  write("e/.git", "gitdir: ../.git/modules/m\n/../../../ev\n");
  write("f/.git", "gitdir: ../.git/ev\n");
  EXPECT_THAT(found(), UnorderedElementsAre("a/.git/commondir", "b/.git/commondir", "c/.git/commondir",
                                            "d/.git", "e/.git", "f/.git"));
}

TEST_F(TrapsTest, WorktreesAndModulesThatTheJarAddedToAGuardedRepository) {
  make_git(".git", "[core]\n");
  write("stock/config", kEvil);
  start();
  write("w/.git", "gitdir: " + root_ + "/.git/worktrees/w\n");
  write(".git/worktrees/w/HEAD", "ref: refs/heads/main\n");
  write(".git/worktrees/w/commondir", "../../../ev\n");
  write("x/.git", "gitdir: " + root_ + "/.git/worktrees/x\n");
  write(".git/worktrees/x/HEAD", "ref: refs/heads/main\n");
  write(".git/worktrees/x/commondir", "../..\n");
  write(".git/modules/m/HEAD", "ref: refs/heads/main\n");
  fs::rename(root_ + "/stock", root_ + "/.git/modules/n");  // an old file at a new place
  write(".git/modules/n/HEAD", "ref: refs/heads/main\n");
  fs::create_symlink("../../ev", root_ + "/.git/modules/l");
  EXPECT_THAT(found({".git"}),
              UnorderedElementsAre(".git/worktrees/w/commondir", ".git/modules/n/config", ".git/modules/l"));
}

TEST_F(TrapsTest, WhatIsTooLongToBeReadIsListed) {
  start();
  auto padding = std::string(2U << 20, '\n');
  make_git("a/.git", padding + kEvil);
  make_git("b/.git", "[core]\n");
  write("b/.git/rebase-merge/git-rebase-todo", padding + "exec x\n");
  write("package.json", padding + "{\"scripts\": {\"postinstall\": \"x\"}}");
  write(".gitattributes", padding + "* filter=x\n");
  EXPECT_THAT(found(), UnorderedElementsAre("a/.git/config", "b/.git/rebase-merge/git-rebase-todo",
                                            "package.json", ".gitattributes"));
}

TEST_F(TrapsTest, ManyHooksHideNone) {
  start();
  make_git("a/.git", "[core]\n");
  fs::create_directory(root_ + "/a/.git/hooks");
  for (int i = 0; i < 5000; ++i)
    std::ofstream(root_ + "/a/.git/hooks/" + std::to_string(i) + ".sample");
  EXPECT_THAT(found(), UnorderedElementsAre("a/.git/hooks"));
}

TEST_F(TrapsTest, ReadingHasAnEnd) {
  start();
  for (int i = 0; i < 300; ++i) {
    auto path = "d" + std::to_string(i) + "/package.json";
    write(path);
    fs::resize_file(root_ + "/" + path, Reading::kMostOfAFile);
  }
  EXPECT_THAT(found(), UnorderedElementsAre("."));
}

TEST_F(TrapsTest, ALongListDoesNotHideRepositories) {
  start();
  for (int i = 0; i < 300; ++i)
    write("d" + std::to_string(i) + "/CLAUDE.md");
  make_git("z/.git", kEvil);
  EXPECT_EQ(found().front(), "z/.git/config");
}

TEST_F(TrapsTest, TheListIsBounded) {
  start();
  for (int i = 0; i < 300; ++i)
    write("d" + std::to_string(i) + "/.envrc");
  auto paths = found();
  EXPECT_EQ(paths.size(), kMaxTraps + 1);
  EXPECT_EQ(paths.back(), ".");
}

TEST_F(TrapsTest, NothingIsFollowedOrWaitedFor) {
  start();
  ASSERT_EQ(::mkfifo((root_ + "/package.json").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", root_ + "/.gitmodules");
  fs::create_symlink(".", root_ + "/loop");
  EXPECT_THAT(found(), Contains(".gitmodules"));  // it leads out, and is not read
}

}  // namespace
}  // namespace belljar::jar
