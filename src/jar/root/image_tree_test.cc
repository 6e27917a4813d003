#include "jar/root/image_tree.h"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "os/fd.h"

namespace belljar::jar {
namespace {

using ::testing::HasSubstr;

class ImageTree : public ::testing::Test {
 protected:
  ImageTree() {
    char name[] = "/var/tmp/belljar-image-tree-XXXXXX";
    base_ = ::mkdtemp(name);
    std::filesystem::create_directory(base_ + "/tree");
    std::filesystem::create_directory(base_ + "/outside");
    write("outside/file", 04755);
  }
  ~ImageTree() override { std::filesystem::remove_all(base_); }

  [[nodiscard]] std::string at(const std::string& path) const { return base_ + "/" + path; }
  void write(const std::string& path, mode_t mode) const {
    std::ofstream(at(path)) << "x";
    ASSERT_EQ(::chmod(at(path).c_str(), mode), 0);
  }
  [[nodiscard]] mode_t mode(const std::string& path) const {
    struct stat status {};
    return ::lstat(at(path).c_str(), &status) == 0 ? status.st_mode & 07777 : 0xffff;
  }
  [[nodiscard]] Result<CleanedTree> clean(const TreeBounds& bounds = {}) const {
    auto tree = os::open_file(at("tree"), O_RDONLY | O_DIRECTORY).value();
    return clean_tree(tree.get(), ::geteuid(), bounds);
  }
  [[nodiscard]] bool has_attributes(const std::string& path) const {
    char names[1024];
    auto size = ::llistxattr(at(path).c_str(), names, sizeof names);
    for (ssize_t n = 0; n < size; n += static_cast<ssize_t>(std::string_view(names + n).size()) + 1)
      if (std::string_view(names + n) != "security.selinux") return true;
    return false;
  }
  std::string base_;
};

TEST_F(ImageTree, SetIdBitsGo) {
  write("tree/file", 06755);
  std::filesystem::create_directory(at("tree/directory"));
  ASSERT_EQ(::chmod(at("tree/directory").c_str(), 07775), 0);
  auto cleaned = clean();
  ASSERT_TRUE(cleaned) << cleaned.error().to_string();
  EXPECT_EQ(cleaned->entries, 2U);
  EXPECT_EQ(mode("tree/file"), 0755U);
  EXPECT_EQ(mode("tree/directory"), 01775U);
}

TEST_F(ImageTree, NoSymlinkIsFollowed) {
  std::filesystem::create_symlink(at("outside"), at("tree/link"));
  std::filesystem::create_symlink(at("outside/file"), at("tree/file"));
  ASSERT_TRUE(clean());
  EXPECT_EQ(mode("outside/file"), 04755U);
  EXPECT_TRUE(std::filesystem::is_symlink(at("tree/link")));
}

TEST_F(ImageTree, AttributesGoAlsoFromWhatIsReadOnly) {
  write("tree/file", 0400);
  std::filesystem::create_directory(at("tree/directory"));
  write("tree/directory/below", 0755);
  for (const auto* path : {"tree", "tree/file", "tree/directory", "tree/directory/below"}) {
    ASSERT_EQ(::chmod(at(path).c_str(), 0700), 0);
    if (::setxattr(at(path).c_str(), "user.overlay.opaque", "y", 1, 0) < 0 && errno == EOPNOTSUPP)
      GTEST_SKIP() << "the file system of /var/tmp has no attributes of users";
    ASSERT_EQ(::setxattr(at(path).c_str(), "user.other", "y", 1, 0), 0);
  }
  ASSERT_EQ(::chmod(at("tree/file").c_str(), 0400), 0);
  ASSERT_EQ(::chmod(at("tree/directory").c_str(), 0), 0);
  if (::geteuid() == 0) {
    ASSERT_EQ(::setxattr(at("tree/file").c_str(), "trusted.overlay.redirect", "/x", 2, 0), 0);
  }
  auto cleaned = clean();
  ASSERT_TRUE(cleaned) << cleaned.error().to_string();
  for (const auto* path : {"tree", "tree/file", "tree/directory", "tree/directory/below"})
    EXPECT_FALSE(has_attributes(path)) << path;
  EXPECT_EQ(mode("tree/file"), 0400U);
  EXPECT_EQ(mode("tree/directory"), 0700U);
}

TEST_F(ImageTree, OnlyFilesDirectoriesAndSymlinksStay) {
  ASSERT_EQ(::mkfifo(at("tree/pipe").c_str(), 0666), 0);
  ASSERT_EQ(::mknod(at("tree/socket").c_str(), S_IFSOCK | 0666, 0), 0);
  std::uint64_t removed = 2;
  // Also the mark by which an overlay hides what is below, which everybody may make.
  if (::mknod(at("tree/whiteout").c_str(), S_IFCHR | 0666, makedev(0, 0)) == 0) ++removed;
  if (::geteuid() == 0 && ::mknod(at("tree/null").c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0) ++removed;
  auto cleaned = clean();
  ASSERT_TRUE(cleaned) << cleaned.error().to_string();
  EXPECT_EQ(cleaned->removed, removed);
  EXPECT_TRUE(std::filesystem::is_empty(at("tree")));
}

TEST_F(ImageTree, WhatIsTooMuchIsRefused) {
  for (const auto* path : {"tree/a", "tree/a/b", "tree/a/b/c", "tree/a/b/c/d"})
    std::filesystem::create_directory(at(path));
  EXPECT_TRUE(clean({.depth = 4}));
  EXPECT_THAT(clean({.depth = 3}).error().message(), HasSubstr("more than 3 deep"));
  EXPECT_TRUE(clean({.entries = 4}));
  EXPECT_THAT(clean({.entries = 3}).error().message(), HasSubstr("more than 3 files"));
  EXPECT_TRUE(clean({.path = 7}));
  EXPECT_THAT(clean({.path = 6}).error().message(), HasSubstr("longer than 6 bytes"));
  std::ofstream(at("tree/large")) << std::string(100'000, 'x');
  EXPECT_THAT(clean({.bytes = 50'000}).error().message(), HasSubstr("takes more than"));
}

TEST_F(ImageTree, WhatBelongsToSomebodyElseIsRefused) {
  write("tree/file", 0644);
  auto tree = os::open_file(at("tree"), O_RDONLY | O_DIRECTORY).value();
  auto cleaned = clean_tree(tree.get(), ::geteuid() + 1);
  ASSERT_FALSE(cleaned);
  EXPECT_THAT(cleaned.error().message(), HasSubstr("/file belongs to user"));
}

}  // namespace
}  // namespace belljar::jar
