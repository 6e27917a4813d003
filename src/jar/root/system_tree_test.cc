#include "jar/root/system_tree.h"

#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/root/layer_options.h"
#include "jar/root/save_contents.h"

namespace belljar::jar {
namespace {

class SystemTreeTest : public ::testing::Test {
 protected:
  SystemTreeTest() {
    char name[] = "/var/tmp/belljar-tree-XXXXXX";
    base_ = ::mkdtemp(name);
    identity_ = {::geteuid(), ::getegid(), false};
    for (const auto* path : {"host", "host/bin", "host/closed", "data"})
      std::filesystem::create_directory(base_ + "/" + path);
    write("host/bin/small", "small");
    write("host/bin/large", large());
    write("host/closed/inside", "secret");
    ::chmod((base_ + "/host/closed").c_str(), 0700);
  }
  ~SystemTreeTest() override { std::filesystem::remove_all(base_); }

  static std::string large(char fill = 'l') { return std::string(kSmallFile + 1, fill); }
  [[nodiscard]] std::string at(const std::string& path) const { return base_ + "/" + path; }
  void write(const std::string& path, std::string_view content, unsigned mode = 0644) const {
    auto file = os::open_file(at(path), O_WRONLY | O_CREAT | O_TRUNC, mode).value();
    ASSERT_TRUE(os::write_all(file.get(), as_bytes(content)));
    ::fchmod(file.get(), mode);
  }
  [[nodiscard]] std::string read(const std::string& path) const {
    return os::read_file(at(path)).value_or("?");
  }
  [[nodiscard]] mode_t mode(const std::string& path) const {
    struct stat status {};
    return ::lstat(at(path).c_str(), &status) == 0 ? status.st_mode : 0;
  }
  [[nodiscard]] ino_t inode(const std::string& path) const {
    struct stat status {};
    return ::lstat(at(path).c_str(), &status) == 0 ? status.st_ino : 0;
  }
  std::vector<LargeFile> make(RootTier tier, const std::string& tree = "tree",
                              const std::string& previous = "") {
    TreeWork work{.tier = tier, .identity = identity_, .made = {}};
    auto made = make_tree(
        {.host = at("host"), .previous = previous.empty() ? "" : at(previous), .tree = at(tree)}, work);
    EXPECT_TRUE(made) << made.error().to_string();
    return made ? *made : std::vector<LargeFile>{};
  }
  [[nodiscard]] SaveSource source() const { return {at("host"), at("data")}; }

  std::string base_;
  Identity identity_;
};

TEST_F(SystemTreeTest, CopiesSmallFilesAndNamesLargeOnes) {
  write("host/bin/tool", "tool", 0755);
  auto large_files = make(RootTier::metadata);
  ASSERT_EQ(large_files.size(), 1U);
  EXPECT_EQ(large_files[0].path, "bin/large");
  EXPECT_EQ(read("tree/bin/small"), "small");
  EXPECT_EQ(mode("tree/bin/tool"), mode_t{S_IFREG | 0755});
  struct stat stub {};
  ASSERT_EQ(::stat(at("tree/bin/large").c_str(), &stub), 0);
  EXPECT_EQ(stub.st_size, static_cast<off_t>(kSmallFile + 1));
  EXPECT_TRUE(names_content(os::open_file(at("tree/bin/large"), O_RDONLY).value().get()));
}

TEST_F(SystemTreeTest, ASkeletonLeavesLargeFilesToTheHost) {
  EXPECT_EQ(make(RootTier::skeleton).size(), 1U);
  EXPECT_EQ(mode("tree/bin/large"), mode_t{0});
}

TEST_F(SystemTreeTest, WhatOthersCannotReadIsThereByNameOnly) {
  write("host/bin/secret", "secret", 0640);
  write("host/bin/large-secret", large(), 0600);
  ::mkfifo(at("host/bin/pipe").c_str(), 0666);
  for (auto tier : {RootTier::metadata, RootTier::skeleton}) {
    auto tree = std::string("tree-") + name_of(tier);
    EXPECT_EQ(make(tier, tree).size(), 1U);
    EXPECT_EQ(read(tree + "/bin/secret"), "");
    EXPECT_EQ(read(tree + "/bin/large-secret"), "");
    EXPECT_TRUE(std::filesystem::is_empty(at(tree + "/closed")));
  }
  // A skeleton's names hide the host's, which shows through.
  EXPECT_EQ(mode("tree-skeleton/bin/pipe"), mode_t{S_IFREG | 0600});
  EXPECT_EQ(mode("tree-metadata/bin/pipe"), mode_t{0});
}

TEST_F(SystemTreeTest, KeepsNoSetIdBit) {
  write("host/bin/su", "su", 04755);
  write("host/bin/large-su", large(), 06755);
  make(RootTier::metadata);
  EXPECT_EQ(mode("tree/bin/su"), mode_t{S_IFREG | 0755});
  EXPECT_EQ(mode("tree/bin/large-su"), mode_t{S_IFREG | 0755});
}

TEST_F(SystemTreeTest, SharesWhatHasNotChangedWithAnEarlierGeneration) {
  make(RootTier::metadata, "first");
  write("host/bin/new", "new");
  auto small = inode("first/bin/small");
  make(RootTier::metadata, "second", "first");
  EXPECT_EQ(inode("second/bin/small"), small);
  write("host/bin/small", "SMALL");
  make(RootTier::metadata, "third", "second");
  EXPECT_EQ(read("third/bin/small"), "SMALL");
  EXPECT_EQ(read("second/bin/small"), "small");
}

TEST_F(SystemTreeTest, SharesNothingThatWasMadeForAnotherOwner) {
  auto files = make(RootTier::metadata, "first");
  ASSERT_TRUE(save_contents(source(), files, identity_));
  std::filesystem::create_directory(at("data-next"));
  auto small = inode("first/bin/small");
  identity_.user += 1;
  make(RootTier::metadata, "second", "first");
  EXPECT_NE(inode("second/bin/small"), small);
  link_contents(at("data"), at("data-next"), files, identity_);
  EXPECT_FALSE(std::filesystem::exists(at("data-next/bin/large")));
  identity_.user -= 1;
  link_contents(at("data"), at("data-next"), files, identity_);
  EXPECT_EQ(read("data-next/bin/large"), large());  // the control
}

TEST_F(SystemTreeTest, SavedContentsTakeThePlaceOfTheirNames) {
  for (auto tier : {RootTier::metadata, RootTier::skeleton}) {
    auto tree = std::string("tree-") + name_of(tier);
    auto files = make(tier, tree);
    EXPECT_TRUE(host_has_rest(source(), files));
    auto saved = save_contents(source(), files, identity_);
    ASSERT_TRUE(saved) << saved.error().to_string();
    EXPECT_EQ(*saved, SavedState::all);
    ASSERT_TRUE(complete_tree(at("data"), at(tree), files));
    ASSERT_TRUE(complete_tree(at("data"), at(tree), files));  // interrupted and done again
    EXPECT_EQ(read(tree + "/bin/large"), large());
    EXPECT_FALSE(std::filesystem::exists(at(tree + "/bin/large.saving")));
    // The next generation has it from this one.
    EXPECT_TRUE(make(tier, tree + "-next", tree).empty());
    EXPECT_EQ(read(tree + "-next/bin/large"), large());
  }
}

TEST_F(SystemTreeTest, WhatTheHostHasChangedIsNotSavedAsIfItHadNot) {
  auto files = make(RootTier::metadata);
  write("host/bin/large", large('x'));
  EXPECT_FALSE(host_has_rest(source(), files));
  auto saved = save_contents(source(), files, identity_);
  ASSERT_TRUE(saved) << saved.error().to_string();
  EXPECT_EQ(*saved, SavedState::changed);
  EXPECT_FALSE(std::filesystem::exists(at("data/bin/large")));
}

TEST_F(SystemTreeTest, WhatIsSavedIsNotTheHostsAnyMore) {
  auto files = make(RootTier::metadata);
  ASSERT_TRUE(save_contents(source(), files, identity_));
  write("host/bin/large", large('x'));
  EXPECT_TRUE(host_has_rest(source(), files));
  EXPECT_EQ(save_contents(source(), files, identity_).value(), SavedState::all);
  EXPECT_EQ(read("data/bin/large"), large());
}

TEST_F(SystemTreeTest, ADamagedListIsAnError) {
  auto files = make(RootTier::metadata);
  ASSERT_TRUE(write_list(at("list"), files));
  auto again = read_list(at("list"));
  ASSERT_TRUE(again);
  ASSERT_EQ(again->size(), 1U);
  EXPECT_EQ(again->front().path, files[0].path);
  EXPECT_EQ(again->front().size, files[0].size);
  auto text = read("list");
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    write("list", text.substr(0, cut));
    EXPECT_FALSE(read_list(at("list"))) << cut;
  }
}

}  // namespace
}  // namespace belljar::jar
