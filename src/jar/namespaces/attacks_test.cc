// What jars must not be able to do, tried from inside by the probe.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/netfilter_ipv4.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "jar/denied.h"
#include "jar/namespaces/testing/world.h"

namespace belljar::jar {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::run;
using testing::shell;
using testing::World;

class JarAttackTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (auto why = testing::unavailable(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(JarAttackTest, TheKernelRefusesEveryWayOut) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    auto output = "\n" + run(*jar, {world.path("project/probe"), "kernel"}).output;
    for (const auto* line : {"unshare-user: EPERM",
                             "unshare-mount: EPERM",
                             "unshare-net: EPERM",
                             "clone-user: EPERM",
                             "clone-user-and-mount: EPERM",
                             "clone-high-bits: EPERM",
                             "clone3: ENOSYS",
                             "setns: EPERM",
                             "mount: EPERM",
                             "remount: EPERM",
                             "umount: EPERM",
                             "pivot_root: EPERM",
                             "open_tree: EPERM",
                             "move_mount: EPERM",
                             "fsopen: EPERM",
                             "mount_setattr: EPERM",
                             "open_by_handle_at: EPERM",
                             "io_uring: ENOSYS",
                             "userfaultfd: EPERM",
                             "bpf: EPERM",
                             "perf: EPERM",
                             "keyctl: EPERM",
                             "add_key: EPERM",
                             "syslog: EPERM",
                             "reboot: EPERM",
                             "sethostname: EPERM",
                             "swapon: EPERM",
                             "init_module: EPERM",
                             "kexec_load: EPERM",
                             "mknod-device: EPERM",
                             "tiocsti: EPERM",
                             "ptrace-init: EPERM",
                             "read-init: EPERM",
                             "init-memory: EACCES",
                             "init-program: EACCES",
                             "init-root: EACCES",
                             "init-descriptor: EACCES",
                             "chmod-setuid: 0755",  // seems to work, for package managers
                             "fchmod-setgid: 0750",
                             "fchmodat-setuid: 0711",
                             "fchmodat2-setuid: 0700",
                             "open-setuid: EPERM",
                             "open-unnamed-setuid: EPERM",
                             "mknod-setuid: EPERM",
                             "openat2: ENOSYS",
                             "core-limit-1: ok",
                             "ioctl-flags: EPERM",
                             "ioctl-snapshot: EPERM",
                             "file-capabilities: EPERM",
                             "chmod-plain: ok",
                             "fake-chown: ok",
                             "fake-setuid: ok",
                             "own-uid-still-0: ok"})
      EXPECT_THAT(output, HasSubstr(std::string("\n") + line + "\n")) << output;
#if defined(__x86_64__)
    EXPECT_THAT(output, HasSubstr("\n32-bit: ENOSYS\n"));
    EXPECT_THAT(output, HasSubstr("\nx32: ENOSYS\n"));
#endif
    EXPECT_EQ(run(*jar, {"true"}).code, 0);  // init has outlived the signals
  });
}

TEST_F(JarAttackTest, NothingButTheDoorAnswers) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    auto door = jar->take_door();
    auto output = "\n" + run(*jar, {world.path("project/probe"), "network"}).output;
    for (const auto* line : {"sctp: EPROTONOSUPPORT",
                             "mptcp: EPROTONOSUPPORT",
                             "udplite: EPROTONOSUPPORT",
                             "tcp-by-number: ok",
                             "udp-by-number: ok",
                             "pair-tipc: EAFNOSUPPORT",
                             "pair-unix: ok",
                             "vsock: EAFNOSUPPORT",
                             "packet: EAFNOSUPPORT",
                             "raw: EPERM",
                             "ping: EACCES",
                             "xdp: EAFNOSUPPORT",
                             "alg: EAFNOSUPPORT",
                             "netlink-netfilter: EPROTONOSUPPORT",
                             "netlink-route: ok",
                             "tcp-closed-local: ECONNREFUSED",
                             "tcp-door-itself: ECONNREFUSED",
                             "tcp6-closed-local: ECONNREFUSED",
                             "tcp6: ECONNREFUSED",
                             "udp: EPERM",
                             "udp6: EPERM",
                             "udp-multicast: EPERM"})
      EXPECT_THAT(output, HasSubstr(std::string("\n") + line + "\n")) << output;
    EXPECT_EQ(shell(*jar, "cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' '").output, "lo\n");
    std::string denied;
    ASSERT_TRUE(door.denied.valid());
    while (auto packet = read_denied(door.denied.get()).value())
      denied += packet->to_string() + "\n";
    EXPECT_EQ(denied,
              "tcp [2001:db8::1]:443\nudp 192.0.2.1:443\nudp [2001:db8::1]:443\nudp 224.0.0.251:5353\n");
  });
}

TEST_F(JarAttackTest, EveryConnectionMeetsTheDoorWithItsDestination) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    auto door = jar->take_door();
    for (std::string address : {"192.0.2.7", "10.0.0.1", "169.254.169.254", "::ffff:192.0.2.7"}) {
      ASSERT_EQ(run(*jar, {world.path("project/probe"), "dial", address, "8443"}).output, "dial: ok\n")
          << address;
      os::Fd accepted(::accept4(door.tcp.get(), nullptr, nullptr, SOCK_CLOEXEC));
      ASSERT_TRUE(accepted.valid());
      sockaddr_in original{};
      socklen_t size = sizeof original;
      ASSERT_EQ(::getsockopt(accepted.get(), SOL_IP, SO_ORIGINAL_DST, &original, &size), 0);
      char text[INET_ADDRSTRLEN] = {};
      ::inet_ntop(AF_INET, &original.sin_addr, text, sizeof text);
      EXPECT_THAT(address, ::testing::EndsWith(text));
      EXPECT_EQ(ntohs(original.sin_port), 8443);
    }
  });
}

TEST_F(JarAttackTest, EveryNameServerIsTheDoors) {
  testing::as_each_user([](World& world) {
    auto jar = world.start().value();
    auto door = jar->take_door();
    for (std::string server : {"127.0.0.1", "127.0.0.53", "10.0.2.3", "8.8.8.8"}) {
      auto pipe = os::create_pipe().value();
      ExecRequest request;
      request.arguments = {world.path("project/probe"), "ask", server};
      request.standard[1] = pipe.second.get();
      ASSERT_TRUE(jar->exec(request).ok());
      pipe.second.reset();
      pollfd event{door.resolver_udp.get(), POLLIN, 0};
      ASSERT_EQ(::poll(&event, 1, 5000), 1) << server;
      char question[64];
      sockaddr_in from{};
      socklen_t size = sizeof from;
      ASSERT_EQ(::recvfrom(door.resolver_udp.get(), question, sizeof question, 0,
                           reinterpret_cast<sockaddr*>(&from), &size),
                8);
      ::sendto(door.resolver_udp.get(), "answer", 6, 0, reinterpret_cast<sockaddr*>(&from), size);
      EXPECT_EQ(os::read_all(pipe.first.get(), 1024).value(), "ask: ok\nanswer\n") << server;
      (void)testing::await_exit(*jar);
    }
  });
}

TEST_F(JarAttackTest, SocketsOfTheHostInTheWorkspaceAreMasked) {
  testing::as_each_user([](World& world) {
    auto listener = os::Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    World::host("mkdir -p " + world.path("project/run"));
    auto path = world.path("project/run/s");
    ASSERT_LT(path.size(), sizeof address.sun_path);
    path.copy(address.sun_path, path.size());
    ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listener.get(), 8), 0);
    ASSERT_EQ(::chmod(path.c_str(), 0777), 0);
    ASSERT_EQ(::mkfifo(world.path("project/run/fifo").c_str(), 0666), 0);
    auto jar = world.start().value();
    EXPECT_EQ(run(*jar, {world.path("project/probe"), "unix", path}).output, "unix: ECONNREFUSED\n");
    EXPECT_NE(shell(*jar, "test -p " + world.path("project/run/fifo")).code, 0);
    // Neither a new name nor a new place of its directory brings it back.
    EXPECT_NE(shell(*jar, "cd " + world.path("project") + " && ln run/s run/t").code, 0);
    EXPECT_NE(shell(*jar, "cd " + world.path("project") + " && mv run/s run/t").code, 0);
    (void)shell(*jar, "cd " + world.path("project") + " && mv run ran");
    auto moved = run(*jar, {world.path("project/probe"), "unix", world.path("project/ran/s")}).output;
    EXPECT_THAT(moved, Not(HasSubstr("ok")));
    pollfd event{listener.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&event, 1, 0), 0);
  });
}

TEST_F(JarAttackTest, JarsDontMeet) {
  testing::as_each_user([](World& world) {
    auto first = world.start().value();
    auto spec = world.spec();
    spec.name = "other";
    spec.state_directory = world.path("other-state");
    spec.workspace.clear();
    auto second = world.backend().start(spec).value();
    EXPECT_EQ(
        shell(*first, "echo mine > ~/mine; echo shm > /dev/shm/mine; (sleep 30 >/dev/null 2>&1 &) ; true")
            .code,
        0);
    EXPECT_EQ(shell(*second, "ls ~ /dev/shm " + world.path("project") + " 2>/dev/null | grep mine").output,
              "");
    EXPECT_EQ(shell(*second, "ps ax | grep -c '[s]leep 30'").output, "0\n");
  });
}

}  // namespace
}  // namespace belljar::jar
