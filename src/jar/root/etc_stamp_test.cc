#include "jar/root/etc_stamp.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>
#include <unistd.h>

namespace belljar::jar {
namespace {

namespace fs = std::filesystem;

class EtcStampTest : public ::testing::Test {
 protected:
  EtcStampTest() {
    char name[] = "/tmp/belljar-stamp-XXXXXX";
    base_ = ::mkdtemp(name);
    fs::create_directories(base_ + "/tree/a/b");
    write("a/b/file", "old");
    write("top", "old");
    fs::create_symlink("top", base_ + "/tree/link");
  }
  ~EtcStampTest() override { fs::remove_all(base_); }

  [[nodiscard]] std::string tree() const { return base_ + "/tree"; }
  void write(const std::string& path, const std::string& text) const {
    std::ofstream(tree() + "/" + path) << text;
  }

  std::string base_;
};

TEST_F(EtcStampTest, IsTheSameForTheSame) {
  auto listed = list_tree(tree());
  EXPECT_EQ(listed.size(), 5U);  // the tree, a, a/b, a/b/file, top
  EXPECT_EQ(stamp_listed(tree(), listed), stamp_listed(tree(), list_tree(tree())));
}

TEST_F(EtcStampTest, ShowsEveryChangeThroughAnOldList) {
  const std::function<void()> changes[] = {
      [&] { write("a/b/file", "new"); },  // in place
      [&] { fs::permissions(tree() + "/top", fs::perms::owner_read); },
      [&] { write("a/b/another", "x"); },
      [&] { fs::rename(tree() + "/top", tree() + "/bottom"); },
      [&] { fs::rename(tree() + "/bottom", tree() + "/a/b/file"); },
      [&] { fs::remove(tree() + "/a/b/file"); },
      [&] {
        fs::remove(tree() + "/link");
        fs::create_symlink("a", tree() + "/link");
      },
      [&] { fs::remove_all(tree() + "/a"); },
      [&] { fs::remove_all(tree()); },
  };
  auto listed = list_tree(tree());
  auto before = stamp_listed(tree(), listed);
  for (std::size_t n = 0; n < std::size(changes); ++n) {
    ::usleep(10'000);  // beyond the clock that inodes are stamped with
    changes[n]();
    auto after = stamp_listed(tree(), listed);
    EXPECT_NE(after, before) << "change " << n;
    listed = list_tree(tree());
    before = stamp_listed(tree(), listed);
  }
}

TEST_F(EtcStampTest, ListsAreKeptWholeOrNotAtAll) {
  auto file = base_ + "/listing";
  EXPECT_TRUE(read_listing(file).empty());
  auto listed = list_tree(tree());
  ASSERT_TRUE(write_listing(file, listed));
  EXPECT_EQ(read_listing(file), listed);
  fs::resize_file(file, fs::file_size(file) - 2);
  EXPECT_TRUE(read_listing(file).empty());
}

}  // namespace
}  // namespace belljar::jar
