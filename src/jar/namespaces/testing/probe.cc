// probe: tries from inside a jar what must fail there, and says for each what happened ("name: EPERM", "name:
// ok"). Static, so that it runs in any root. Used by the tests of the backend and of attacks.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/keyctl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace {

void say(const char* name, long result) {
  if (result < 0)
    std::printf("%s: %s\n", name, ::strerrorname_np(errno));
  else
    std::printf("%s: ok\n", name);
}

/// What mode a file has after a change that worked.
void say_mode(const char* what, long result, int file) {
  struct stat status {};
  if (result < 0) return say(what, result);
  ::fstat(file, &status);
  std::printf("%s: %04o\n", what, status.st_mode & 07777);
}

long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
  return ::syscall(number, a, b, c, d, e);
}
long pointer(const void* at) { return static_cast<long>(reinterpret_cast<std::intptr_t>(at)); }

long clone_with(unsigned long flags) {
  long child = call(SYS_clone, static_cast<long>(flags | SIGCHLD));
  if (child == 0) ::_exit(0);
  if (child > 0) ::waitpid(static_cast<pid_t>(child), nullptr, 0);
  return child;
}

#if defined(__x86_64__)
/// A 32-bit call (getpid is 20 there): the filter must see that it isn't the call of that number here.
long call_32bit() {
  long result = 0;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory");
  if (result < 0) errno = static_cast<int>(-result);
  return result < 0 ? -1 : result;
}
#endif

void kernel() {
  say("unshare-user", ::unshare(CLONE_NEWUSER));
  say("unshare-mount", ::unshare(CLONE_NEWNS));
  say("unshare-net", ::unshare(CLONE_NEWNET));
  say("clone-user", clone_with(CLONE_NEWUSER));
  say("clone-user-and-mount", clone_with(CLONE_NEWUSER | CLONE_NEWNS));
  say("clone-high-bits", clone_with(0xffffffff00000000UL | CLONE_NEWUSER));
  say("clone3", call(SYS_clone3, 0, 0));
  int own = ::open("/proc/self/ns/net", O_RDONLY);
  say("setns", ::setns(own, 0));
  say("mount", ::mount("tmpfs", "/mnt", "tmpfs", 0, nullptr));
  say("remount", ::mount("", "/usr", nullptr, MS_REMOUNT | MS_BIND, nullptr));
  say("umount", ::umount2("/proc/sys", MNT_DETACH));
  say("pivot_root", call(SYS_pivot_root, pointer("."), pointer(".")));
  say("open_tree", call(SYS_open_tree, AT_FDCWD, pointer("/"), 1));
  say("move_mount", call(SYS_move_mount, 0, pointer(""), 0, pointer(""), 0));
  say("fsopen", call(SYS_fsopen, pointer("tmpfs"), 0));
  say("mount_setattr", call(SYS_mount_setattr, AT_FDCWD, pointer("/usr"), 0, 0, 0));
  say("open_by_handle_at", call(SYS_open_by_handle_at, AT_FDCWD, 0, 0));
  say("io_uring", call(SYS_io_uring_setup, 1, 0));
  say("userfaultfd", call(SYS_userfaultfd, 0));
  say("bpf", call(SYS_bpf, 0, 0, 0));
  say("perf", call(SYS_perf_event_open, 0, 0, -1, -1, 0));
  say("keyctl", call(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0));
  say("add_key", call(SYS_add_key, pointer("user"), pointer("x"), pointer("y"), 1, KEY_SPEC_PROCESS_KEYRING));
  say("syslog", call(SYS_syslog, 3, 0, 0));
  say("reboot", call(SYS_reboot, 0, 0, 0, 0));
  say("sethostname", ::sethostname("x", 1));
  say("swapon", call(SYS_swapon, pointer("/x"), 0));
  say("init_module", call(SYS_init_module, 0, 0, 0));
  say("kexec_load", call(SYS_kexec_load, 0, 0, 0, 0));
  say("mknod-device", ::mknod("/tmp/device", S_IFBLK | 0600, 0x0801));
  say("tiocsti", ::ioctl(0, TIOCSTI, "x"));
  say("ptrace-init", ::ptrace(PTRACE_ATTACH, 1, nullptr, nullptr));
  char byte = 0;
  iovec here{&byte, 1}, there{&byte, 1};
  say("read-init", ::process_vm_readv(1, &here, 1, &there, 1, 0));
  say("init-memory", ::open("/proc/1/mem", O_RDWR));
  say("init-program", ::open("/proc/1/exe", O_RDONLY));
  say("init-root", ::open("/proc/1/root/etc", O_RDONLY));
  say("init-descriptor", ::open("/proc/1/fd/3", O_RDWR));
  say("kill-init", ::kill(1, SIGKILL));
  say("kill-init-segv", ::kill(1, SIGSEGV));
#if defined(__x86_64__)
  say("32-bit", call_32bit());
  say("x32", call(0x40000000 + SYS_getpid));
#endif
  int plain = ::open("/tmp/plain", O_CREAT | O_RDWR, 0755);
  say_mode("chmod-setuid", ::chmod("/tmp/plain", 04755), plain);
  say_mode("fchmod-setgid", ::fchmod(plain, 02750), plain);
  (void)!::chdir("/tmp");
  say_mode("fchmodat-setuid", ::fchmodat(AT_FDCWD, "plain", 06711, 0), plain);
  say_mode("fchmodat2-setuid", call(452, ::open("/tmp", O_PATH), pointer("plain"), 04700, 0), plain);
  say("open-setuid", ::open("/tmp/new", O_CREAT | O_RDWR, 04755));
  say("open-unnamed-setuid", ::open("/tmp", O_TMPFILE | O_RDWR, 04755));
  say("mknod-setuid", ::mknod("/tmp/new", S_IFREG | 04755, 0));
  say("openat2", call(SYS_openat2, AT_FDCWD, pointer("/tmp/new"), 0, 0));
  rlimit no_core{0, 0}, core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::getrlimit(RLIMIT_CORE, &core);
  say("core-limit-1", core.rlim_cur == 1 && core.rlim_max == 1 ? 0 : -1);
  long flags = FS_NODUMP_FL;
  int own_file = ::open("/tmp/flags", O_CREAT | O_RDWR, 0600);
  say("ioctl-flags", ::ioctl(own_file, FS_IOC_SETFLAGS, &flags));
  say("ioctl-snapshot", ::ioctl(own_file, _IOW(0x94, 1, char[4096]), &flags));
  say("ioctl-clone-own", ::ioctl(own_file, FICLONE, own_file));
  const std::uint32_t all_capabilities[5] = {0x02000001, ~0U, 0, ~0U, 0};  // VFS_CAP_REVISION_2, effective
  say("file-capabilities",
      ::setxattr("/tmp/flags", "security.capability", all_capabilities, sizeof all_capabilities, 0));
  say("chmod-plain", ::chmod("/tmp/plain", 0700));
  say("fake-chown", ::chown(".", 4711, 4711));
  say("fake-setuid", ::setuid(4711));
  say("own-uid-still-0", ::getuid() == 0 ? 0 : -1);
}

long family(int domain, int type, int protocol) {
  long opened = ::socket(domain, type, protocol);
  if (opened >= 0) ::close(static_cast<int>(opened));
  return opened;
}

long dial(int type, const char* address, std::uint16_t port) {
  sockaddr_storage to{};
  socklen_t size = 0;
  if (std::strchr(address, ':') != nullptr) {
    auto* six = reinterpret_cast<sockaddr_in6*>(&to);
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    ::inet_pton(AF_INET6, address, &six->sin6_addr);
    size = sizeof *six;
  } else {
    auto* four = reinterpret_cast<sockaddr_in*>(&to);
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    ::inet_pton(AF_INET, address, &four->sin_addr);
    size = sizeof *four;
  }
  int socket = ::socket(to.ss_family, type, 0);
  if (socket < 0) return -1;
  if (type == SOCK_STREAM) return ::connect(socket, reinterpret_cast<sockaddr*>(&to), size);
  return ::sendto(socket, "x", 1, 0, reinterpret_cast<sockaddr*>(&to), size);
}

void network() {
  say("vsock", family(AF_VSOCK, SOCK_STREAM, 0));
  say("packet", family(AF_PACKET, SOCK_RAW, 0));
  say("raw", family(AF_INET, SOCK_RAW, IPPROTO_ICMP));
  say("ping", family(AF_INET, SOCK_DGRAM, IPPROTO_ICMP));
  say("sctp", family(AF_INET, SOCK_STREAM, IPPROTO_SCTP));
  say("mptcp", family(AF_INET6, SOCK_STREAM, 262 /* IPPROTO_MPTCP */));
  say("udplite", family(AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE));
  say("tcp-by-number", family(AF_INET, SOCK_STREAM, IPPROTO_TCP));
  say("udp-by-number", family(AF_INET6, SOCK_DGRAM, IPPROTO_UDP));
  int pair[2];
  say("pair-tipc", ::socketpair(AF_TIPC, SOCK_STREAM, 0, pair));
  say("pair-unix", ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  say("xdp", family(44, SOCK_RAW, 0));
  say("alg", family(AF_ALG, SOCK_SEQPACKET, 0));
  say("netlink-netfilter", family(AF_NETLINK, SOCK_RAW, 12));
  say("netlink-route", family(AF_NETLINK, SOCK_RAW, 0));
  say("tcp-closed-local", dial(SOCK_STREAM, "127.0.0.1", 9));
  say("tcp-door-itself", dial(SOCK_STREAM, "127.0.0.1", 1));
  say("tcp6-closed-local", dial(SOCK_STREAM, "::1", 9));
  say("tcp6", dial(SOCK_STREAM, "2001:db8::1", 443));
  say("udp", dial(SOCK_DGRAM, "192.0.2.1", 443));
  say("udp6", dial(SOCK_DGRAM, "2001:db8::1", 443));
  say("udp-multicast", dial(SOCK_DGRAM, "224.0.0.251", 5353));
}

/// One line from a server of datagrams: asks `address` and prints the answer.
int ask(const char* address) {
  int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  timeval patience{5, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(53);
  ::inet_pton(AF_INET, address, &to.sin_addr);
  ::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to);
  ::send(socket, "question", 8, 0);
  char answer[64] = {};
  auto count = ::recv(socket, answer, sizeof answer - 1, 0);
  say("ask", count);
  std::printf("%s\n", answer);
  return 0;
}

int unix_socket(const char* path) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::strncpy(to.sun_path, path, sizeof to.sun_path - 1);
  int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  say("unix", ::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (std::strcmp(what, "kernel") == 0) return kernel(), 0;
  if (std::strcmp(what, "network") == 0) return network(), 0;
  if (std::strcmp(what, "ask") == 0 && argc > 2) return ask(argv[2]);
  if (std::strcmp(what, "unix") == 0 && argc > 2) return unix_socket(argv[2]);
  if (std::strcmp(what, "dial") == 0 && argc > 3)
    return say("dial", dial(SOCK_STREAM, argv[2], static_cast<std::uint16_t>(std::atoi(argv[3])))), 0;
  return 2;
}
