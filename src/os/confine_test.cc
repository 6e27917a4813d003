#include "os/confine.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "os/fd.h"
#include "os/passing.h"

namespace belljar::os {
namespace {

constexpr int kNotConfined = 99;
constexpr int kNoBareRoot = 98;

/// Forks, confines and runs `body`; the parent judges by how the child ended. The body's answer is its exit
/// code.
int end_of_child(const Confinement& confinement, const std::function<int()>& body) {
  pid_t child = ::fork();
  if (child == 0) {
    if (!confine(confinement).ok()) ::_exit(kNotConfined);
    ::_exit(body());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == kNotConfined);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/// The exit code that a call leads to: 0 when it succeeds, its errno otherwise.
int errno_of(long result) { return result < 0 ? errno : 0; }

struct Attempt {
  const char* name;
  std::function<long()> call;
};

long make_socket(int family, int type) { return ::socket(family, type | SOCK_CLOEXEC, 0); }

/// As on a kernel without Landlock.
TEST(Confine, WithoutLandlockOnlyWhatIsGrantedHasAPath) {
  char name[] = "/var/tmp/belljar-confine-XXXXXX";
  std::string root = ::mkdtemp(name);
  std::filesystem::create_directories(root + "/read");
  std::filesystem::create_directories(root + "/write");
  ASSERT_TRUE(write_file_atomically(root + "/read/file", "text").ok());
  ASSERT_TRUE(write_file_atomically(root + "/secret", "text").ok());
  auto readable = open_file(root + "/read", O_PATH | O_DIRECTORY).value();
  auto writable = open_file(root + "/write", O_PATH | O_DIRECTORY).value();
  Confinement confinement;
  confinement.paths = {{.fd = readable.get(), .writable = false}, {.fd = writable.get(), .writable = true}};
  confinement.without_landlock = true;
  pid_t child = ::fork();
  if (child == 0) {
    auto confined = confine(confinement);
    if (!confined.ok()) ::_exit(kNotConfined);
    if (!confined->bare_root) ::_exit(kNoBareRoot);
    auto missed = [](const std::string& path) {
      return ::open(path.c_str(), O_RDONLY) < 0 && errno == ENOENT;
    };
    int wrong = 0;
    if (read_file(root + "/read/file").value_or("") != "text") wrong |= 1;
    if (open_file(root + "/read/new", O_WRONLY | O_CREAT)) wrong |= 2;
    if (!open_file(root + "/write/new", O_WRONLY | O_CREAT)) wrong |= 4;
    if (!missed("/etc/passwd") || !missed(root + "/secret") || !missed("/proc/self/maps")) wrong |= 8;
    if (open_file_at(readable.get(), "../secret", O_RDONLY)) wrong |= 16;
    if (open_file_at(readable.get(), "../../../../../etc/passwd", O_RDONLY)) wrong |= 32;
    ::_exit(wrong);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  bool written = std::filesystem::exists(root + "/write/new");
  std::filesystem::remove_all(root);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNoBareRoot) GTEST_SKIP() << "this host refuses the namespaces for it";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(written);
}

TEST(Confine, RefusesWhatAWorkerDoesNotNeed) {
  const Attempt kAttempts[] = {
      {"open a file", [] { return ::open("/etc/passwd", O_RDONLY); }},
      {"open a directory", [] { return ::open("/", O_PATH | O_DIRECTORY); }},
      {"open /proc/self", [] { return ::open("/proc/self/maps", O_RDONLY); }},
      {"make a file", [] { return ::open("/tmp/belljar-confine-test", O_CREAT | O_WRONLY, 0600); }},
      {"look at a file", [] { return ::access("/etc/passwd", F_OK); }},
      {"remove a file", [] { return ::unlink("/tmp/belljar-confine-test"); }},
      {"an IPv4 socket", [] { return make_socket(AF_INET, SOCK_STREAM); }},
      {"an IPv6 datagram socket", [] { return make_socket(AF_INET6, SOCK_DGRAM); }},
      {"a unix socket", [] { return make_socket(AF_UNIX, SOCK_STREAM); }},
      {"a netlink socket", [] { return make_socket(AF_NETLINK, SOCK_RAW); }},
      {"a vsock socket", [] { return make_socket(AF_VSOCK, SOCK_STREAM); }},
      {"a socket pair",
       [] {
         int pair[2];
         return ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
       }},
      {"a process", [] { return ::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr); }},
      {"a process by clone3", [] { return ::syscall(SYS_clone3, nullptr, 0); }},
      {"a signal to the parent", [] { return ::kill(::getppid(), 0); }},
      {"a signal by a descriptor's owner", [] { return ::fcntl(1, F_SETOWN, ::getppid()); }},
      {"executable memory",
       [] {
         return ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
                    ? -1L
                    : 0L;
       }},
      {"memory made executable",
       [] {
         void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
         return ::mprotect(page, 4096, PROT_READ | PROT_EXEC);
       }},
      {"being dumpable again", [] { return ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); }},
      {"another's limits", [] { return ::prlimit(::getppid(), RLIMIT_CORE, nullptr, nullptr); }},
      {"a device control", [] { return ::syscall(SYS_ioctl, 0, 0x5412, "x"); }},  // TIOCSTI
  };
  for (const auto& attempt : kAttempts)
    EXPECT_EQ(end_of_child({}, [&] { return errno_of(attempt.call()); }), EPERM) << attempt.name;
}

TEST(Confine, EndsAProcessThatDoesWhatOnlyAnIntruderDoes) {
  const Attempt kAttempts[] = {
      {"execve", [] { return ::syscall(SYS_execve, "/bin/true", nullptr, nullptr); }},
      {"execveat", [] { return ::syscall(SYS_execveat, -1, "/bin/true", nullptr, nullptr, 0); }},
      {"ptrace", [] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }},
      {"process_vm_readv",
       [] { return ::syscall(SYS_process_vm_readv, ::getppid(), nullptr, 0, nullptr, 0, 0); }},
      {"open_by_handle_at", [] { return ::syscall(SYS_open_by_handle_at, -1, nullptr, 0); }},
      {"io_uring_setup", [] { return ::syscall(SYS_io_uring_setup, 1, nullptr); }},
      {"unshare", [] { return ::unshare(CLONE_NEWUSER); }},
      {"mount", [] { return ::syscall(SYS_mount, "x", "/", "tmpfs", 0, nullptr); }},
      {"bpf", [] { return ::syscall(SYS_bpf, 0, nullptr, 0); }},
      {"keyctl", [] { return ::syscall(SYS_keyctl, 0, 0, 0, 0, 0); }},
      {"setuid", [] { return ::syscall(SYS_setuid, 0); }},
  };
  const Confinement most{.network = true, .socket_pairs = true, .accept = true};
  for (const auto& attempt : kAttempts)
    EXPECT_EQ(end_of_child(most, [&] { return errno_of(attempt.call()); }), -SIGSYS) << attempt.name;
}

TEST(Confine, LeavesWhatAnEventLoopNeeds) {
  auto pair = create_socket_pair(SOCK_SEQPACKET).value();
  auto pipe = create_pipe().value();
  ASSERT_TRUE(write_all(pipe.second.get(), as_bytes("x")).ok());
  int fds[] = {pipe.first.get()};
  ASSERT_TRUE(send_message(pair.first.get(), as_bytes("hello"), fds).ok());
  int result = end_of_child({}, [&] {
    auto message = receive_message(pair.second.get());  // descriptors arrive
    if (!message.ok() || message->value().fds.size() != 1) return 1;
    int passed = message->value().fds[0].get();
    Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event event{.events = EPOLLIN, .data = {}};
    if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, passed, &event) != 0) return 2;
    if (::epoll_wait(epoll.get(), &event, 1, 1000) != 1) return 3;
    char byte = 0;
    if (::read(passed, &byte, 1) != 1 || byte != 'x') return 4;
    if (!set_nonblocking(passed).ok()) return 5;
    struct stat status {};
    if (::fstat(passed, &status) != 0 || !S_ISFIFO(status.st_mode)) return 6;
    std::vector<std::string> memory;
    for (int i = 0; i < 200; ++i)
      memory.emplace_back(static_cast<std::size_t>(i) * 5000, 'x');
    timespec time{};
    if (::clock_gettime(CLOCK_MONOTONIC, &time) != 0) return 7;
    std::uint8_t random[16];
    if (::getentropy(random, sizeof random) != 0) return 8;
    if (!create_pipe().ok()) return 9;
    return send_message(pair.second.get(), as_bytes("done")).ok() ? 0 : 10;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(as_text(receive_message(pair.first.get()).value()->bytes), "done");
}

TEST(Confine, AbortsAsAlways) {
  EXPECT_EQ(end_of_child({}, []() -> int { std::abort(); }), -SIGABRT);
}

TEST(Confine, GrantsSocketPairsButNoneThatCouldBeSentElsewhere) {
  auto pair_of = [](int type) {
    return [type] {
      int pair[2];
      return errno_of(::socketpair(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair));
    };
  };
  EXPECT_EQ(end_of_child({.socket_pairs = true}, pair_of(SOCK_STREAM)), 0);
  EXPECT_EQ(end_of_child({.socket_pairs = true}, pair_of(SOCK_SEQPACKET)), 0);
  EXPECT_EQ(end_of_child({.socket_pairs = true}, pair_of(SOCK_DGRAM)), EPERM);
}

/// A TCP listener on the loopback, and its port.
std::pair<Fd, in_port_t> listen_on_loopback() {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  EXPECT_EQ(::listen(socket.get(), 4), 0);
  socklen_t length = sizeof name;
  EXPECT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &length), 0);
  return {std::move(socket), name.sin_port};
}

int connect_to(in_port_t port) {
  int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = port;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(socket, reinterpret_cast<sockaddr*>(&name), sizeof name);
}

TEST(Confine, GrantsTheInternetWithoutListeningOrOtherFamilies) {
  auto listener = listen_on_loopback();
  Confinement network{.network = true};
  EXPECT_EQ(end_of_child(network, [&] { return errno_of(connect_to(listener.second)); }), 0);
  EXPECT_EQ(end_of_child(network, [] { return errno_of(make_socket(AF_INET6, SOCK_DGRAM)); }), 0);
  for (int family : {AF_UNIX, AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG})
    EXPECT_EQ(end_of_child(network, [&] { return errno_of(make_socket(family, SOCK_STREAM)); }), EPERM)
        << family;
  EXPECT_EQ(end_of_child(network, [] { return errno_of(make_socket(AF_INET, SOCK_RAW)); }), EPERM);
  EXPECT_EQ(end_of_child(network,
                         [] {
                           sockaddr_in any{};
                           any.sin_family = AF_INET;
                           int socket = ::socket(AF_INET, SOCK_STREAM, 0);
                           return errno_of(::bind(socket, reinterpret_cast<sockaddr*>(&any), sizeof any));
                         }),
            EPERM);
}

TEST(Confine, ASocketMadeBeforeReachesNothingNewWithoutTheNetwork) {
  // Both the filter and Landlock stand in the way of connect(); what was connected goes on.
  auto listener = listen_on_loopback();
  Fd early(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(
      end_of_child({},
                   [&] {
                     sockaddr_in name{};
                     name.sin_family = AF_INET;
                     name.sin_port = listener.second;
                     name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
                     return errno_of(::connect(early.get(), reinterpret_cast<sockaddr*>(&name), sizeof name));
                   }),
      EPERM);
}

TEST(Confine, AcceptsOnAListenerWhenGranted) {
  auto listener = listen_on_loopback();
  Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = listener.second;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(client.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  auto accept = [&] { return errno_of(::accept4(listener.first.get(), nullptr, nullptr, SOCK_CLOEXEC)); };
  EXPECT_EQ(end_of_child({}, accept), EPERM);
  EXPECT_EQ(end_of_child({.accept = true}, accept), 0);
}

// -- paths
// ------------------------------------------------------------------------------------------------------

class ConfinedPaths : public testing::Test {
 protected:
  void SetUp() override {
    if (landlock_abi() == 0) GTEST_SKIP() << "this kernel has no Landlock";
    char name[] = "/tmp/belljar-confine-XXXXXX";
    root_ = ::mkdtemp(name);
    for (const char* directory : {"/read", "/write", "/other"})
      ::mkdir((root_ + directory).c_str(), 0700);
    for (const char* file : {"/read/file", "/write/file", "/other/file"})
      ASSERT_TRUE(write_file_atomically(root_ + file, "content").ok());
    read_ = open_file(root_ + "/read", O_PATH | O_DIRECTORY).value();
    write_ = open_file(root_ + "/write", O_PATH | O_DIRECTORY).value();
    confinement_.paths = {{.fd = read_.get()}, {.fd = write_.get(), .writable = true}};
  }
  void TearDown() override {
    if (!root_.empty()) std::filesystem::remove_all(root_);
  }
  int opening(const std::string& path, int flags) {
    return end_of_child(confinement_,
                        [&] { return errno_of(::open((root_ + path).c_str(), flags | O_CLOEXEC, 0600)); });
  }

  std::string root_;
  Fd read_;
  Fd write_;
  Confinement confinement_;
};

TEST_F(ConfinedPaths, OnlyTheGrantedOnesAreThere) {
  EXPECT_EQ(opening("/read/file", O_RDONLY), 0);
  EXPECT_EQ(opening("/read/file", O_RDWR), EACCES);
  EXPECT_EQ(opening("/read/new", O_WRONLY | O_CREAT), EACCES);
  EXPECT_EQ(opening("/write/file", O_RDWR | O_TRUNC), 0);
  EXPECT_EQ(opening("/write/new", O_WRONLY | O_CREAT | O_EXCL), 0);
  EXPECT_EQ(opening("/other/file", O_RDONLY), EACCES);
  EXPECT_EQ(opening("/write/../other/file", O_RDONLY), EACCES);
  EXPECT_EQ(opening("/../../etc/passwd", O_RDONLY), EACCES);
}

TEST_F(ConfinedPaths, AWritableOneTakesAtomicReplacementAndLocks) {
  EXPECT_EQ(end_of_child(confinement_,
                         [&] {
                           if (!write_file_atomically(root_ + "/write/file", "newer").ok()) return 1;
                           auto file = open_file(root_ + "/write/file", O_RDWR);
                           if (!file.ok()) return 2;
                           struct flock lock {};
                           lock.l_type = F_WRLCK;
                           if (::fcntl(file->get(), F_SETLK, &lock) != 0) return 3;
                           return ::unlink((root_ + "/write/file").c_str()) == 0 ? 0 : 4;
                         }),
            0);
}

TEST_F(ConfinedPaths, PathsOpenNoOtherWay) {
  EXPECT_EQ(end_of_child(confinement_, [] { return errno_of(make_socket(AF_INET, SOCK_STREAM)); }), EPERM);
  EXPECT_EQ(end_of_child(confinement_,
                         [&] { return errno_of(::symlink("/etc/passwd", (root_ + "/write/link").c_str())); }),
            EPERM);
}

// -- state
// ------------------------------------------------------------------------------------------------------

TEST(Confine, SetsWhatItSaysItSets) {
  EXPECT_EQ(end_of_child({.max_open_files = 77},
                         [] {
                           rlimit open_files{};
                           rlimit core{};
                           ::getrlimit(RLIMIT_NOFILE, &open_files);
                           ::getrlimit(RLIMIT_CORE, &core);
                           return open_files.rlim_max == 77 && open_files.rlim_cur == 77 && core.rlim_max == 0
                                      ? 0
                                      : 1;
                         }),
            0);
}

TEST(Confine, TheProcessHasNoPrivilegesAndAnEmptyNetwork) {
  int ready[2];
  int go[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(go), 0);
  pid_t child = ::fork();
  if (child == 0) {
    auto confined = confine({});
    char flag = !confined.ok() ? 'x' : confined->network_namespace ? 'n' : '-';
    if (::write(ready[1], &flag, 1) != 1 || ::read(go[0], &flag, 1) != 1) ::_exit(1);
    ::_exit(0);
  }
  char flag = 0;
  ASSERT_EQ(::read(ready[0], &flag, 1), 1);
  EXPECT_NE(flag, 'x');
  auto directory = "/proc/" + std::to_string(child);
  auto status = read_file(directory + "/status").value();
  EXPECT_NE(status.find("\nNoNewPrivs:\t1\n"), std::string::npos);
  EXPECT_NE(status.find("\nSeccomp:\t2\n"), std::string::npos);
  EXPECT_NE(status.find("\nCapEff:\t0000000000000000\n"), std::string::npos);
  EXPECT_NE(status.find("\nCapPrm:\t0000000000000000\n"), std::string::npos);
  struct stat owner {};
  ASSERT_EQ(::stat((directory + "/mem").c_str(), &owner), 0);
  EXPECT_EQ(owner.st_uid, 0U);  // what /proc shows of a process that is not dumpable
  auto namespaces = [](const std::string& path) {
    char text[64] = {};
    return ::readlink(path.c_str(), text, sizeof text - 1) > 0 ? std::string(text) : std::string();
  };
  if (flag == 'n') {
    EXPECT_NE(namespaces(directory + "/ns/net"), namespaces("/proc/self/ns/net"));
  }
  ASSERT_EQ(::write(go[1], "x", 1), 1);
  int ended = 0;
  ::waitpid(child, &ended, 0);
  EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
  for (int fd : {ready[0], ready[1], go[0], go[1]})
    ::close(fd);
}

}  // namespace
}  // namespace belljar::os
