#include "jar/root/etc_copy.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jar/root/unreadable.h"

namespace belljar::jar {
namespace {

namespace fs = std::filesystem;

class EtcTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/belljar-etc-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& content, mode_t mode) const {
    fs::create_directories(fs::path(root_ + "/" + path).parent_path());
    os::write_file_atomically(root_ + "/" + path, content).value();
    ::chmod((root_ + "/" + path).c_str(), mode);
  }
  [[nodiscard]] bool has(const std::string& path) const {
    return fs::exists(fs::symlink_status(root_ + "/" + path));
  }

  std::string root_;
};

TEST_F(EtcTest, CopiesWhatEverybodyMayRead) {
  write("etc/open", "a\n", 0644);
  write("etc/group-only", "b\n", 0640);
  write("etc/dir/file", "c\n", 0444);
  write("etc/shut/file", "d\n", 0644);
  ::chmod((root_ + "/etc/shut").c_str(), 0750);
  write("etc/setuid", "e\n", 04755);
  write("etc/npmrc", "//r/:_authToken=x\nb=1\n", 0644);
  fs::create_symlink("/usr/share/x", root_ + "/etc/system-link");
  fs::create_symlink("/home/u/x", root_ + "/etc/home-link");
  ASSERT_EQ(::mkfifo((root_ + "/etc/fifo").c_str(), 0666), 0);
  ASSERT_TRUE(copy_etc(root_ + "/etc", root_ + "/copy", {::geteuid(), ::getegid(), false}).ok());
  EXPECT_EQ(os::read_file(root_ + "/copy/open").value(), "a\n");
  EXPECT_EQ(os::read_file(root_ + "/copy/dir/file").value(), "c\n");
  EXPECT_EQ(os::read_file(root_ + "/copy/npmrc").value(), "//r/:_authToken=\nb=1\n");
  for (const auto* path : {"copy/group-only", "copy/shut", "copy/home-link", "copy/fifo"})
    EXPECT_FALSE(has(path)) << path;
  EXPECT_TRUE(has("copy/system-link"));
  struct stat status {};
  ASSERT_EQ(::stat((root_ + "/copy/setuid").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0755U);
}

TEST_F(EtcTest, IsMadeOnceAndKeptWhileUsed) {
  Identity identity{::geteuid(), ::getegid(), false};
  auto first = prepare_etc(root_ + "/cache", "00000000", identity).value();
  auto second = prepare_etc(root_ + "/cache", "00000000", identity).value();
  EXPECT_EQ(first.tree, second.tree);
  EXPECT_FALSE(fs::exists(first.tree + "/shadow"));
  EXPECT_EQ(os::read_file(first.tree + "/resolv.conf").value().substr(0, 20), "nameserver 127.0.0.1");
  // Another state: the one in use stays, and goes once nobody uses it.
  auto other = prepare_etc(root_ + "/cache", "11111111", identity).value();
  EXPECT_NE(other.tree, first.tree);
  EXPECT_TRUE(fs::exists(first.tree));
  auto old = first.tree;
  first.lock.reset();
  second.lock.reset();
  (void)prepare_etc(root_ + "/cache", "22222222", identity).value();
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(other.tree));
}

TEST_F(EtcTest, FindsWhatOnlyTheCallerMayRead) {
  write("usr/share/open", "a", 0644);
  write("usr/share/own", "b", 0600);
  write("usr/own/inside", "c", 0644);
  ::chmod((root_ + "/usr/own").c_str(), 0700);
  auto found = look_for_unreadable(root_ + "/usr", Reader::caller).value();
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<std::string>{root_ + "/usr/own", root_ + "/usr/share/own"}));
}

TEST_F(EtcTest, FindsSocketsWhoeverReads) {
  write("usr/share/own", "b", 0600);
  ASSERT_EQ(::mkfifo((root_ + "/usr/share/fifo").c_str(), 0666), 0);
  ASSERT_EQ(::mknod((root_ + "/usr/socket").c_str(), S_IFSOCK | 0666, 0), 0);
  auto found = look_for_unreadable(root_ + "/usr", Reader::nobody).value();
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<std::string>{root_ + "/usr/share/fifo", root_ + "/usr/socket"}));
}

/// In a mount namespace of its own: what is found below a file system that is mounted below.
int look_below_a_mount(const std::string& directory) {
  auto user = ::geteuid();
  auto group = ::getegid();
  if (::unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) < 0) return 77;
  if (user != 0) {
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
    std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  }
  if (::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) < 0 ||
      ::mount("none", directory.c_str(), "tmpfs", 0, "mode=755") < 0)
    return 77;
  std::ofstream(directory + "/own") << "b";
  ::chmod((directory + "/own").c_str(), 0600);
  auto found = look_for_unreadable(fs::path(directory).parent_path(), Reader::caller).value();
  return found == std::vector<std::string>{directory + "/own"} ? 0 : 1;
}

TEST_F(EtcTest, LooksIntoFileSystemsThatAreMountedBelow) {
  fs::create_directories(root_ + "/usr/mounted");
  auto child = ::fork();
  if (child == 0) ::_exit(look_below_a_mount(root_ + "/usr/mounted"));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no mounts here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace belljar::jar
