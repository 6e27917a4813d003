#include "keeper/socket.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/fork.h"
#include "os/peer.h"

namespace belljar::keeper {
namespace {

class KeeperSocketTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/belljar-test-XXXXXX";
    root_ = ::mkdtemp(name);
    // Longer than the address of a socket can be.
    directory_ = root_ + "/" + std::string(120, 'd');
    ASSERT_TRUE(os::create_directories(directory_).ok());
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  /// Waits for a connection and judges who made it.
  static Result<void> judge_next(const os::Fd& listener) {
    os::Fd accepted(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!accepted) return Error::from_errno(errno, "accept");
    return os::check_peer(accepted.get());
  }

  std::string root_;
  std::string directory_;
};

TEST_F(KeeperSocketTest, IsFoundHoweverLongItsPathIs) {
  EXPECT_EQ(connect_to(directory_).error().code(), ErrorCode::not_found);
  auto listener = listen_in(directory_).value();
  ASSERT_TRUE(os::set_nonblocking(listener.get(), false).ok());
  auto client = connect_to(directory_);
  ASSERT_TRUE(client.ok()) << client.error().to_string();
  auto judged = judge_next(listener);
  EXPECT_TRUE(judged.ok()) << judged.error().to_string();
  // One that a killed keeper left is replaced.
  listener.reset();
  EXPECT_TRUE(has_socket(directory_));
  EXPECT_EQ(connect_to(directory_).error().code(), ErrorCode::not_found);
  EXPECT_TRUE(listen_in(directory_).ok());
  remove_socket(directory_);
  EXPECT_FALSE(has_socket(directory_));
}

TEST_F(KeeperSocketTest, RefusesAnotherUserNamespaceOfTheSameUser) {
  auto listener = listen_in(directory_).value();
  ASSERT_TRUE(os::set_nonblocking(listener.get(), false).ok());
  auto child = os::fork_process(os::Lifetime::parents, [this] {
    if (::unshare(CLONE_NEWUSER) < 0) return 77;
    auto client = connect_to(directory_);
    if (!client) return 1;
    char byte = 0;
    return ::read(client->get(), &byte, 1) == 0 ? 0 : 2;
  });
  ASSERT_TRUE(child.ok());
  auto judged = judge_next(listener);
  auto exit = child->wait();
  if (exit && exit->code == 77) GTEST_SKIP() << "this host lets nobody make a user namespace";
  ASSERT_FALSE(judged.ok());
  EXPECT_EQ(judged.error().code(), ErrorCode::permission_denied) << judged.error().to_string();
}

TEST_F(KeeperSocketTest, RefusesWhoHasEndedMeanwhile) {
  auto listener = listen_in(directory_).value();
  ASSERT_TRUE(os::set_nonblocking(listener.get(), false).ok());
  auto child = os::fork_process(os::Lifetime::parents, [this] {
    (void)connect_to(directory_).value().release();
    return 0;
  });
  ASSERT_TRUE(child->wait().ok());
  EXPECT_FALSE(judge_next(listener).ok());
}

}  // namespace
}  // namespace belljar::keeper
