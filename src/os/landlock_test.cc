// Landlock alone, without the syscall filter that would answer first.
#include "os/landlock.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <functional>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/fd.h"

namespace belljar::os {
namespace {

constexpr int kFailed = 99;

int errno_of(long result) { return result < 0 ? errno : 0; }

int in_restricted_child(const LandlockRules& rules, const std::function<int()>& body) {
  pid_t child = ::fork();
  if (child == 0) {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !restrict_with_landlock(rules).ok())
      ::_exit(kFailed);
    ::_exit(body());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

class Landlock : public testing::Test {
 protected:
  void need(int abi) {
    if (landlock_abi() < abi) GTEST_SKIP() << "this kernel's Landlock is of ABI " << landlock_abi();
  }
};

TEST_F(Landlock, TakesEveryPathAway) {
  need(1);
  for (const char* path : {"/etc/passwd", "/proc/self/status", "/dev/null", "/tmp"})
    EXPECT_EQ(in_restricted_child({}, [&] { return errno_of(::open(path, O_RDONLY)); }), EACCES) << path;
}

TEST_F(Landlock, LeavesAGrantedDirectoryReadable) {
  need(1);
  auto directory = open_file("/etc", O_PATH | O_DIRECTORY).value();
  PathGrant grants[] = {{.fd = directory.get()}};
  auto opening = [](const char* path, int flags) { return [=] { return errno_of(::open(path, flags)); }; };
  EXPECT_EQ(in_restricted_child({.paths = grants}, opening("/etc/passwd", O_RDONLY)), 0);
  EXPECT_EQ(in_restricted_child({.paths = grants}, opening("/etc/passwd", O_WRONLY)), EACCES);
  EXPECT_EQ(in_restricted_child({.paths = grants}, opening("/usr/bin/env", O_RDONLY)), EACCES);
}

sockaddr_in loopback(in_port_t port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = port;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return name;
}

TEST_F(Landlock, TakesTcpAwayUnlessAsked) {
  need(4);
  auto connecting = [] {
    auto name = loopback(htons(1));  // nobody listens there: refused when Landlock lets it through
    int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    return errno_of(::connect(socket, reinterpret_cast<sockaddr*>(&name), sizeof name));
  };
  auto binding = [] {
    auto name = loopback(0);
    int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    return errno_of(::bind(socket, reinterpret_cast<sockaddr*>(&name), sizeof name));
  };
  EXPECT_EQ(in_restricted_child({}, connecting), EACCES);
  EXPECT_EQ(in_restricted_child({.tcp_connect = true}, connecting), ECONNREFUSED);
  EXPECT_EQ(in_restricted_child({.tcp_connect = true}, binding), EACCES);
  EXPECT_EQ(in_restricted_child({.tcp_bind = true}, binding), 0);
}

TEST_F(Landlock, KeepsSignalsAndAbstractSocketsToItself) {
  need(6);
  EXPECT_EQ(in_restricted_child({}, [] { return errno_of(::kill(::getppid(), 0)); }), EPERM);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  auto text = "belljar-landlock-" + std::to_string(::getpid());
  std::memcpy(name.sun_path + 1, text.data(), text.size());
  auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&name), length), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(
      in_restricted_child({},
                          [&] {
                            int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
                            return errno_of(::connect(socket, reinterpret_cast<sockaddr*>(&name), length));
                          }),
      EPERM);
}

}  // namespace
}  // namespace belljar::os
