// Index files as the real git writes them.
#include "undo/git_index.h"

#include "undo/testing.h"

namespace belljar::undo {
namespace {

class GitIndex : public Place {
 protected:
  /// The index after a script in a repository with three files.
  std::string after(const std::string& script, const std::string& words = "") {
    EXPECT_EQ(run("rm -rf r; git init -q " + words +
                  " r; cd r; mkdir d; echo 1 > a; echo 2 > d/b; echo 3 > d/c; git add .; " + script),
              0);
    std::ifstream in(workspace() + "/r/.git/index");
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
};

TEST_F(GitIndex, WhatStatSaysDoesNotCount) {
  for (const char* words : {"", "--object-format=sha256"})
    for (const char* version : {"", "git update-index --index-version 4;"}) {
      auto first = after(version, words);
      auto refreshed = after(
          std::string(version) + "touch -d 2001-01-01 a d/b; git update-index -q --refresh; git write-tree; ",
          words);
      EXPECT_NE(first, refreshed);
      EXPECT_TRUE(say_the_same(as_bytes(first), as_bytes(refreshed))) << words << version;
    }
}

TEST_F(GitIndex, WhatIsStagedDoes) {
  auto first = after("");
  for (const char* script : {"echo new > a; git add a", "git rm -q --cached d/b", "chmod +x a; git add a",
                             "echo 4 > e; git add e", "git update-index --assume-unchanged a",
                             "git add -N .; echo > z; git add -N z", "git update-index --skip-worktree a"}) {
    auto changed = after(script);
    EXPECT_FALSE(say_the_same(as_bytes(first), as_bytes(changed))) << script;
  }
}

TEST_F(GitIndex, NoIndexIsLikeNone) {
  auto index = after("");
  EXPECT_TRUE(say_the_same(as_bytes(index), as_bytes(index)));
  for (std::size_t size = 0; size < index.size(); ++size)
    EXPECT_FALSE(say_the_same(as_bytes(index), as_bytes(index).first(size))) << size;
  EXPECT_FALSE(say_the_same({}, {}));
}

}  // namespace
}  // namespace belljar::undo
