// Tries system calls that a jar has no use for, each in a child of its own, and prints those that the kernel carried out or
// looked into: whatever didn't answer EPERM, ENOSYS, EACCES, EAFNOSUPPORT or the like. No output: nothing got through.
// Arguments are chosen so that a call that does get through fails or changes nothing, also for root.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char page[65536];
#define NOWHERE ((void*)8)

static int refused(int error) {
  return error == EPERM || error == ENOSYS || error == EACCES || error == EAFNOSUPPORT || error == EPROTONOSUPPORT ||
         error == ESOCKTNOSUPPORT;
}

static void report(const char* name, long result, int error) {
  if (result >= 0)
    printf("%s: carried out\n", name);
  else if (!refused(error))
    printf("%s: reached the kernel (%s)\n", name, strerror(error));
}

#define ATTEMPT(name, call)                  \
  do {                                       \
    fflush(stdout);                          \
    pid_t child = fork();                    \
    if (child == 0) {                        \
      alarm(2);                              \
      errno = 0;                             \
      long result = (call);                  \
      report(name, result, errno);           \
      fflush(stdout);                        \
      _exit(0);                              \
    }                                        \
    waitpid(child, NULL, 0);                 \
  } while (0)
#define CALL(number, ...) ATTEMPT(#number, syscall(number, ##__VA_ARGS__))

static long cloned(unsigned long long flags) {
  long child = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  return child;
}

static long cloned3(unsigned long long flags) {
  struct clone_args arguments = {.flags = flags, .exit_signal = SIGCHLD};
  long child = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) _exit(0);
  return child;
}

static long entered(const char* kind, int type) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
  return syscall(SYS_setns, open(path, O_RDONLY), type);
}

// Interfaces with a long record of holes, and what steers the kernel or the whole machine (K3).
static void try_interfaces(void) {
  CALL(SYS_io_uring_setup, 8, page);
  CALL(SYS_io_uring_register, -1, 0, 0, 0);
  CALL(SYS_io_uring_enter, -1, 0, 0, 0, 0, 0);
  CALL(SYS_userfaultfd, 1);
  CALL(SYS_userfaultfd, O_CLOEXEC);
  union bpf_attr map = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
  CALL(SYS_bpf, BPF_MAP_CREATE, &map, sizeof map);
  CALL(SYS_bpf, 9999, page, 16);
  struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event, .exclude_kernel = 1};
  CALL(SYS_perf_event_open, &event, 0, -1, -1, 0);
  CALL(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1);
  CALL(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, 0);
  CALL(SYS_add_key, "user", "belljar-attack", "words", 5, KEY_SPEC_THREAD_KEYRING);
  CALL(SYS_request_key, "user", "belljar-attack", 0, 0);
  CALL(SYS_init_module, page, 16, "");
  CALL(SYS_finit_module, -1, "", 0);
  CALL(SYS_delete_module, "belljar-attack", 0);
  CALL(SYS_kexec_load, 0, 0, NOWHERE, 0xffff);
  CALL(SYS_kexec_file_load, -1, -1, 0, 0, 0);
  CALL(SYS_syslog, 3, page, sizeof page);
  CALL(SYS_syslog, 10, 0, 0);
  CALL(SYS_acct, "/nonexistent/acct");
  CALL(SYS_swapon, "/nonexistent/swap", 0);
  CALL(SYS_swapoff, "/nonexistent/swap");
  CALL(SYS_reboot, 0, 0, 0, 0);  // not the magic numbers
  CALL(SYS_sethostname, "other", -1);
  CALL(SYS_setdomainname, "other", -1);
  CALL(SYS_settimeofday, NOWHERE, 0);
  CALL(SYS_clock_settime, 0, NOWHERE);
  CALL(SYS_clock_adjtime, 0, NOWHERE);
  CALL(SYS_adjtimex, NOWHERE);
  CALL(SYS_quotactl, 0x80000700, 0, 0, page);
  CALL(SYS_open_by_handle_at, AT_FDCWD, page, 0);
  CALL(SYS_lookup_dcookie, 0, page, 16);
  CALL(SYS_fanotify_init, 0, 0);
  CALL(SYS_move_pages, 1, 0, 0, 0, 0, 0);
  CALL(SYS_migrate_pages, 1, 8, page, page);
  CALL(SYS_pidfd_getfd, -1, 0, 0);
#ifdef __x86_64__
  CALL(SYS_iopl, 3);
  CALL(SYS_ioperm, 0x80, 1, 1);
  CALL(SYS_uselib, "/bin/true");
#endif
}

// Namespaces (K4), also with bits that a filter may not look at: it compares 32 at a time.
static void try_namespaces(void) {
  const struct {
    const char* name;
    unsigned long flag;
  } spaces[] = {{"user", CLONE_NEWUSER}, {"mnt", CLONE_NEWNS},  {"pid", CLONE_NEWPID},       {"net", CLONE_NEWNET},
                {"ipc", CLONE_NEWIPC},   {"uts", CLONE_NEWUTS}, {"cgroup", CLONE_NEWCGROUP}, {"time", 0x80}};
  char name[80];
  for (unsigned i = 0; i < sizeof spaces / sizeof *spaces; ++i) {
    for (int with_user = 0; with_user < 2; ++with_user) {
      unsigned long flags = spaces[i].flag | (with_user ? CLONE_NEWUSER : 0);
      const char* both = with_user ? " and user" : "";
      snprintf(name, sizeof name, "unshare %s%s", spaces[i].name, both);
      ATTEMPT(name, syscall(SYS_unshare, flags));
      ATTEMPT(name, syscall(SYS_unshare, flags | 0xdead00000000UL));
      snprintf(name, sizeof name, "clone3 %s%s", spaces[i].name, both);
      ATTEMPT(name, cloned3(flags));
      if (spaces[i].flag == 0x80) continue;  // in clone these bits are the exit signal
      snprintf(name, sizeof name, "clone %s%s", spaces[i].name, both);
      ATTEMPT(name, cloned(flags));
      ATTEMPT(name, cloned(flags | 0x100000000UL));
    }
    snprintf(name, sizeof name, "setns %s", spaces[i].name);
    ATTEMPT(name, entered(spaces[i].name, 0));
    ATTEMPT(name, entered(spaces[i].name, (int)spaces[i].flag));
  }
  ATTEMPT("clone3 into a cgroup", cloned3(0x200000000ULL));
  ATTEMPT("setns by pidfd", syscall(SYS_setns, syscall(SYS_pidfd_open, 1, 0), CLONE_NEWNS | CLONE_NEWUSER));
}

// Mounts, by the old and the new interface. What gets through here changes only the world's mounts.
static void try_mounts(void) {
  ATTEMPT("mount tmpfs", mount("x", "/tmp", "tmpfs", 0, 0));
  ATTEMPT("mount proc", mount("x", "/tmp", "proc", 0, 0));
  ATTEMPT("mount bind", mount("/", "/tmp", 0, MS_BIND | MS_REC, 0));
  ATTEMPT("mount remount", mount(0, "/usr", 0, MS_REMOUNT | MS_BIND, 0));
  ATTEMPT("mount propagation", mount(0, "/", 0, MS_PRIVATE | MS_REC, 0));
  ATTEMPT("mount move", mount("/proc", "/tmp", 0, MS_MOVE, 0));
  ATTEMPT("umount", umount2("/nonexistent", MNT_DETACH));
  ATTEMPT("umount config", umount2(".git/config", MNT_DETACH));
  CALL(SYS_pivot_root, ".", ".");
  CALL(SYS_open_tree, AT_FDCWD, "/", 1);
  CALL(SYS_move_mount, AT_FDCWD, "/nonexistent", AT_FDCWD, "/tmp", 0);
  CALL(SYS_fsopen, "tmpfs", 0);
  CALL(SYS_fspick, AT_FDCWD, "/", 0);
  CALL(SYS_fsmount, -1, 0, 0);
  CALL(SYS_fsconfig, -1, 0, 0, 0, 0);
  CALL(442 /* mount_setattr */, AT_FDCWD, "/", 0, page, 32);
  CALL(457 /* statmount */, page, page, 512, 0);
  CALL(458 /* listmount */, page, page, 16, 0);
  CALL(467 /* open_tree_attr */, AT_FDCWD, "/", 1, page, 32);
}

// Sockets of other families (N17).
static void try_sockets(void) {
  char name[80];
  const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET, SOCK_RDM, SOCK_DCCP, SOCK_PACKET};
  for (int family = 0; family < 50; ++family) {
    if (family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK) continue;
    for (unsigned i = 0; i < sizeof types / sizeof *types; ++i) {
      snprintf(name, sizeof name, "socket family %d type %d", family, types[i]);
      ATTEMPT(name, socket(family, types[i], 0));
    }
  }
  for (int protocol = 1; protocol < 24; ++protocol) {
    snprintf(name, sizeof name, "netlink %d", protocol);
    ATTEMPT(name, socket(AF_NETLINK, SOCK_RAW, protocol));
  }
  for (int six = 0; six < 2; ++six) {
    ATTEMPT("raw socket", socket(six ? AF_INET6 : AF_INET, SOCK_RAW, 1));
    ATTEMPT("raw socket 255", socket(six ? AF_INET6 : AF_INET, SOCK_RAW, 255));
    ATTEMPT("packet type", socket(six ? AF_INET6 : AF_INET, SOCK_PACKET, 3));
  }
}

int main(void) {
  try_interfaces();
  try_namespaces();
  try_sockets();
  try_mounts();
  return 0;
}
