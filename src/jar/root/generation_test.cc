#include "jar/root/generation.h"

#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jar/root/system_tree.h"

namespace belljar::jar {
namespace {

using ::testing::HasSubstr;

/// A small host that packages are upgraded on, and jars that have made changes or not.
class GenerationTest : public ::testing::Test {
 protected:
  GenerationTest() {
    char name[] = "/var/tmp/belljar-generation-XXXXXX";
    base_ = ::mkdtemp(name);
    for (const auto* path : {"host", "jars", "roots", "etc", "var"})
      std::filesystem::create_directory(base_ + "/" + path);
    write("host/small", "old");
    write("host/replaced", large('o'));
    write("host/rewritten", large('o'));
  }
  ~GenerationTest() override { std::filesystem::remove_all(base_); }

  static std::string large(char fill) { return std::string(kSmallFile + 1, fill); }
  [[nodiscard]] std::string at(const std::string& path) const { return base_ + "/" + path; }
  void write(const std::string& path, std::string_view content) const {
    auto file = os::open_file(at(path), O_WRONLY | O_CREAT | O_TRUNC, 0644).value();
    ASSERT_TRUE(os::write_all(file.get(), as_bytes(content)));
    ::fchmod(file.get(), 0644);
  }
  /// As dpkg does, and as a careless script does. Larger than before: a mix of both would show.
  void upgrade_host() const {
    write("host/new", "new");
    ASSERT_EQ(::rename(at("host/new").c_str(), at("host/small").c_str()), 0);
    write("host/new", large('n') + "and more");
    ASSERT_EQ(::rename(at("host/new").c_str(), at("host/replaced").c_str()), 0);
    write("host/rewritten", large('n') + "and more");
  }

  GenerationRequest request(const std::string& jar) {
    std::filesystem::create_directory(at("jars/" + jar));
    return {.roots_directory = at("roots"),
            .state_directory = at("jars/" + jar),
            .directories = {{at("host"), "usr"}},
            .tier = RootTier::skeleton,
            .identity = {::geteuid(), ::getegid(), false},
            .ca_subject_hash = "0a1b2c3d",
            .tell = [this](const std::string& line) { told_ += line + "\n"; },
            .etc = at("etc"),
            .var = at("var")};
  }
  Generation take(const std::string& jar) {
    auto taken = take_generation(request(jar));
    EXPECT_TRUE(taken) << taken.error().to_string();
    return taken ? std::move(*taken) : Generation{};
  }
  void change(const std::string& jar) const {
    std::filesystem::create_directories(own_directory(at("jars/" + jar)) + "/upper/usr/bin");
  }
  static std::string read(const Generation& generation, const std::string& path) {
    return os::read_file(generation.directory + "/tree/usr/" + path).value_or("?");
  }

  std::string base_;
  std::string told_;
};

TEST_F(GenerationTest, IsMadeOnceAndShared) {
  auto first = take("first");
  auto second = take("second");
  EXPECT_EQ(first.directory, second.directory);
  EXPECT_EQ(read(first, "small"), "old");
  EXPECT_TRUE(std::filesystem::exists(first.directory + "/tree/etc/hosts"));
  EXPECT_TRUE(std::filesystem::exists(first.directory + "/tree/var/lib/apt/lists/partial"));
  EXPECT_FALSE(first.saved);
}

TEST_F(GenerationTest, AnUpgradeOfTheHostReachesNoJarThatHasChanges) {
  auto before = take("changed");
  change("changed");
  ASSERT_TRUE(tend_generation(request("changed"), before));
  upgrade_host();
  EXPECT_EQ(read(before, "replaced"), large('o'));  // while it runs
  EXPECT_EQ(read(before, "rewritten"), large('o'));
  auto directory = before.directory;
  before = Generation{};  // stopped, and started again
  auto again = take("changed");
  EXPECT_EQ(again.directory, directory);
  EXPECT_TRUE(again.saved);
  for (const auto* path : {"replaced", "rewritten"})
    EXPECT_EQ(read(again, path), large('o')) << path;
  EXPECT_EQ(read(again, "small"), "old");
  EXPECT_EQ(told_, "");
}

TEST_F(GenerationTest, NewJarsAndThoseWithoutChangesGetTheNewOne) {
  auto before = take("unchanged");
  upgrade_host();
  auto unchanged = take("unchanged");
  auto fresh = take("fresh");
  EXPECT_NE(unchanged.directory, before.directory);
  EXPECT_EQ(unchanged.directory, fresh.directory);
  EXPECT_EQ(read(fresh, "small"), "new");
}

TEST_F(GenerationTest, WhatTheHostHasOvertakenBeforeItWasSavedIsNotMixed) {
  auto before = take("changed");
  change("changed");
  upgrade_host();
  ASSERT_TRUE(tend_generation(request("changed"), before));
  EXPECT_FALSE(std::filesystem::exists(before.directory + "/saved"));
  auto again = take("changed");
  EXPECT_NE(again.directory, before.directory);
  EXPECT_THAT(told_, HasSubstr("before the one that this jar was made with was saved"));
}

TEST_F(GenerationTest, ABrokenOneOfTheSameStateIsMadeAnew) {
  auto broken = take("one");
  ASSERT_TRUE(os::replace_file(broken.directory + "/broken", ""));
  auto inode = [](const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
  };
  auto old = inode(broken.directory);
  auto again = take("one");
  EXPECT_EQ(again.directory, broken.directory);
  EXPECT_NE(inode(again.directory), old);
}

TEST_F(GenerationTest, OneThatNeverCameToTheDiskDoesNotOutliveItsBoot) {
  auto made = take("one");
  ASSERT_TRUE(os::replace_file(made.directory + "/made", "another boot"));
  write("host/later", "later");  // so that a copy can be told from the old one
  ASSERT_TRUE(os::replace_file(made.directory + "/tree/usr/small", "half"));
  EXPECT_EQ(read(take("one"), "small"), "old");
}

TEST_F(GenerationTest, AStartThatWasCutOffIsInNobodysWay) {
  auto made = take("app");
  auto name = made.directory.substr(made.directory.rfind('/') + 1);
  made.lock.reset();
  std::filesystem::remove_all(made.directory);
  auto left = fmt::format("{}/new-{}-{}", request("app").roots_directory, name, ::getpid());
  std::filesystem::create_directories(left + "/tree/usr");
  EXPECT_EQ(take("app").directory, made.directory);
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(GenerationTest, SweepsWhatNoJarUses) {
  auto unused = take("unchanged").directory;
  std::filesystem::create_directory(at("roots/new-metadata-0-0"));
  auto kept = take("changed");
  change("changed");
  ASSERT_TRUE(tend_generation(request("changed"), kept));
  auto used = kept.directory;
  EXPECT_EQ(unused, used);
  EXPECT_FALSE(std::filesystem::exists(at("roots/new-metadata-0-0")));
  kept = Generation{};
  upgrade_host();
  write("host/added", "x");
  auto present = take("unchanged");
  ASSERT_TRUE(tend_generation(request("unchanged"), present));
  EXPECT_TRUE(std::filesystem::exists(used));  // a jar that is stopped stays with it
  std::filesystem::remove_all(at("jars/changed"));
  ASSERT_TRUE(tend_generation(request("unchanged"), present));
  EXPECT_FALSE(std::filesystem::exists(used));
  EXPECT_TRUE(std::filesystem::exists(present.directory));
}

}  // namespace
}  // namespace belljar::jar
