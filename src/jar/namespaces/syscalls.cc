#include "jar/namespaces/syscalls.h"

#include <cerrno>

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace belljar::jar {

namespace {

constexpr int kAllowed[] = {SYS_accept,
                            SYS_accept4,
                            SYS_bind,
                            SYS_brk,
                            SYS_capget,
                            SYS_capset,
                            SYS_chdir,
                            SYS_chroot,
                            SYS_clock_getres,
                            SYS_clock_gettime,
                            SYS_clock_nanosleep,
                            SYS_close,
                            SYS_close_range,
                            SYS_connect,
                            SYS_copy_file_range,
                            SYS_dup,
                            SYS_dup3,
                            SYS_epoll_create1,
                            SYS_epoll_ctl,
                            SYS_epoll_pwait,
                            SYS_eventfd2,
                            SYS_execve,
                            SYS_execveat,
                            SYS_exit,
                            SYS_exit_group,
                            SYS_faccessat,
                            SYS_faccessat2,
                            SYS_fadvise64,
                            SYS_fallocate,
                            SYS_fchdir,
                            SYS_fcntl,
                            SYS_fdatasync,
                            SYS_fgetxattr,
                            SYS_flistxattr,
                            SYS_flock,
                            SYS_fremovexattr,
                            SYS_fsetxattr,
                            SYS_fstat,
                            SYS_fstatfs,
                            SYS_fsync,
                            SYS_ftruncate,
                            SYS_futex,
                            SYS_get_robust_list,
                            SYS_getcpu,
                            SYS_getcwd,
                            SYS_getdents64,
                            SYS_getegid,
                            SYS_geteuid,
                            SYS_getgid,
                            SYS_getgroups,
                            SYS_getitimer,
                            SYS_getpeername,
                            SYS_getpgid,
                            SYS_getpid,
                            SYS_getppid,
                            SYS_getpriority,
                            SYS_getrandom,
                            SYS_getresgid,
                            SYS_getresuid,
                            SYS_getrlimit,
                            SYS_getrusage,
                            SYS_getsid,
                            SYS_getsockname,
                            SYS_getsockopt,
                            SYS_gettid,
                            SYS_gettimeofday,
                            SYS_getuid,
                            SYS_getxattr,
                            SYS_inotify_add_watch,
                            SYS_inotify_init1,
                            SYS_inotify_rm_watch,
                            SYS_io_cancel,
                            SYS_io_destroy,
                            SYS_io_getevents,
                            SYS_io_pgetevents,
                            SYS_io_setup,
                            SYS_io_submit,
                            SYS_ioprio_get,
                            SYS_ioprio_set,
                            SYS_kcmp,
                            SYS_kill,
                            SYS_landlock_add_rule,
                            SYS_landlock_create_ruleset,
                            SYS_landlock_restrict_self,
                            SYS_lgetxattr,
                            SYS_linkat,
                            SYS_listen,
                            SYS_listxattr,
                            SYS_llistxattr,
                            SYS_lremovexattr,
                            SYS_lseek,
                            SYS_lsetxattr,
                            SYS_madvise,
                            SYS_membarrier,
                            SYS_memfd_create,
                            SYS_mincore,
                            SYS_mkdirat,
                            SYS_mlock,
                            SYS_mlock2,
                            SYS_mlockall,
                            SYS_mmap,
                            SYS_mprotect,
                            SYS_mq_getsetattr,
                            SYS_mq_notify,
                            SYS_mq_open,
                            SYS_mq_timedreceive,
                            SYS_mq_timedsend,
                            SYS_mq_unlink,
                            SYS_mremap,
                            SYS_msgctl,
                            SYS_msgget,
                            SYS_msgrcv,
                            SYS_msgsnd,
                            SYS_msync,
                            SYS_munlock,
                            SYS_munlockall,
                            SYS_munmap,
                            SYS_name_to_handle_at,
                            SYS_nanosleep,
                            SYS_newfstatat,
                            SYS_pidfd_open,
                            SYS_pidfd_send_signal,
                            SYS_pipe2,
                            SYS_pkey_alloc,
                            SYS_pkey_free,
                            SYS_pkey_mprotect,
                            SYS_ppoll,
                            SYS_prctl,
                            SYS_pread64,
                            SYS_preadv,
                            SYS_preadv2,
                            SYS_process_vm_readv,
                            SYS_process_vm_writev,
                            SYS_pselect6,
                            SYS_ptrace,
                            SYS_pwrite64,
                            SYS_pwritev,
                            SYS_pwritev2,
                            SYS_read,
                            SYS_readahead,
                            SYS_readlinkat,
                            SYS_readv,
                            SYS_recvfrom,
                            SYS_recvmmsg,
                            SYS_recvmsg,
                            SYS_remap_file_pages,
                            SYS_removexattr,
                            SYS_renameat,
                            SYS_renameat2,
                            SYS_rseq,
                            SYS_rt_sigaction,
                            SYS_rt_sigpending,
                            SYS_rt_sigprocmask,
                            SYS_rt_sigqueueinfo,
                            SYS_rt_sigreturn,
                            SYS_rt_sigsuspend,
                            SYS_rt_sigtimedwait,
                            SYS_rt_tgsigqueueinfo,
                            SYS_sched_get_priority_max,
                            SYS_sched_get_priority_min,
                            SYS_sched_getaffinity,
                            SYS_sched_getattr,
                            SYS_sched_getparam,
                            SYS_sched_getscheduler,
                            SYS_sched_rr_get_interval,
                            SYS_sched_setaffinity,
                            SYS_sched_setattr,
                            SYS_sched_setparam,
                            SYS_sched_setscheduler,
                            SYS_sched_yield,
                            SYS_seccomp,
                            SYS_semctl,
                            SYS_semget,
                            SYS_semop,
                            SYS_semtimedop,
                            SYS_sendfile,
                            SYS_sendmmsg,
                            SYS_sendmsg,
                            SYS_sendto,
                            SYS_set_robust_list,
                            SYS_set_tid_address,
                            SYS_setitimer,
                            SYS_setpgid,
                            SYS_setpriority,
                            SYS_setsid,
                            SYS_setsockopt,
                            SYS_setxattr,
                            SYS_shmat,
                            SYS_shmctl,
                            SYS_shmdt,
                            SYS_shmget,
                            SYS_shutdown,
                            SYS_sigaltstack,
                            SYS_signalfd4,
                            SYS_splice,
                            SYS_statfs,
                            SYS_statx,
                            SYS_symlinkat,
                            SYS_sync,
                            SYS_sync_file_range,
                            SYS_syncfs,
                            SYS_sysinfo,
                            SYS_tee,
                            SYS_tgkill,
                            SYS_timer_create,
                            SYS_timer_delete,
                            SYS_timer_getoverrun,
                            SYS_timer_gettime,
                            SYS_timer_settime,
                            SYS_timerfd_create,
                            SYS_timerfd_gettime,
                            SYS_timerfd_settime,
                            SYS_times,
                            SYS_tkill,
                            SYS_truncate,
                            SYS_umask,
                            SYS_uname,
                            SYS_unlinkat,
                            SYS_utimensat,
                            SYS_vmsplice,
                            SYS_wait4,
                            SYS_waitid,
                            SYS_write,
                            SYS_writev};

#if defined(__x86_64__)
/// Calls that newer architectures have replaced.
constexpr int kAllowedLegacy[] = {SYS_restart_syscall,
                                  SYS_access,
                                  SYS_alarm,
                                  SYS_arch_prctl,
                                  SYS_dup2,
                                  SYS_epoll_create,
                                  SYS_epoll_wait,
                                  SYS_eventfd,
                                  SYS_fork,
                                  SYS_futimesat,
                                  SYS_get_thread_area,
                                  SYS_getdents,
                                  SYS_getpgrp,
                                  SYS_inotify_init,
                                  SYS_link,
                                  SYS_lstat,
                                  SYS_mkdir,
                                  SYS_modify_ldt,
                                  SYS_pause,
                                  SYS_pipe,
                                  SYS_poll,
                                  SYS_readlink,
                                  SYS_rename,
                                  SYS_rmdir,
                                  SYS_select,
                                  SYS_set_thread_area,
                                  SYS_signalfd,
                                  SYS_stat,
                                  SYS_symlink,
                                  SYS_time,
                                  SYS_unlink,
                                  SYS_utime,
                                  SYS_utimes,
                                  SYS_vfork};
#else
constexpr int kAllowedLegacy[] = {SYS_restart_syscall};
#endif

/// Calls younger than the headers we build with; their numbers are the same everywhere.
constexpr int kAllowedYoung[] = {440 /* process_madvise */,
                                 441 /* epoll_pwait2 */,
                                 447 /* memfd_secret */,
                                 448 /* process_mrelease */,
                                 449 /* futex_waitv */,
                                 451 /* cachestat */,

                                 453 /* map_shadow_stack */,
                                 454 /*
futex_wake */,
                                 455 /* futex_wait */,
                                 456 /* futex_requeue */,
                                 462 /* mseal */,
                                 463 /* setxattrat */,
                                 464 /* getxattrat */,
                                 465 /* listxattrat */,
                                 466 /* removexattrat */};

/// Changing owners and ids: the jar has one id of each, so the honest answer would be EINVAL, on which
/// package managers give up. They are told that it worked; nothing is done.
constexpr int kFaked[] = {
    SYS_fchown,   SYS_fchownat, SYS_setgroups, SYS_setresuid, SYS_setresgid, SYS_setreuid,
    SYS_setregid, SYS_setuid,   SYS_setgid,    SYS_setfsuid,  SYS_setfsgid,
#if defined(__x86_64__)
    SYS_chown,    SYS_lchown,
#endif
};

/// Probed for, and done without when the kernel seems too old: clone3 and openat2 (their flags and modes are
/// in memory, where no filter can read them) and io_uring (which would make calls that no filter sees).
constexpr int kSeemAbsent[] = {SYS_clone3, SYS_openat2, SYS_io_uring_setup, SYS_io_uring_enter,
                               SYS_io_uring_register};

constexpr auto kNewNamespaces =
    static_cast<std::uint32_t>(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                               CLONE_NEWUTS | CLONE_NEWCGROUP);

/// A condition for each single bit, as a filter can only compare for equality.
std::vector<os::SyscallFilter::Case> answer_bits(unsigned argument, std::uint32_t bits,
                                                 os::FilterAction action) {
  std::vector<os::SyscallFilter::Case> cases;
  for (std::uint32_t bit = 1; bit != 0; bit <<= 1)
    if ((bits & bit) != 0) cases.push_back({{{argument, bit, bit}}, action});
  return cases;
}
std::vector<os::SyscallFilter::Case> refuse_bits(unsigned argument, std::uint32_t bits) {
  return answer_bits(argument, bits, os::answer_errno(EPERM));
}

void limit_clone(os::SyscallFilter& filter) {
  // CLONE_NEWTIME shares its bit with the exit signal of plain clone, which therefore can't ask for it.
  filter.cases(SYS_clone, refuse_bits(0, kNewNamespaces), os::allow_call());
}

/// Files that would run as their owner: what a jar makes in its workspace belongs to a user of the host, root
/// even, and somebody else there might execute it.
constexpr std::uint32_t kSetIds = S_ISUID | S_ISGID;

void limit_modes(os::SyscallFilter& filter, os::FilterAction change) {
  constexpr int kFchmodat2 = 452;
  filter.cases(SYS_fchmod, answer_bits(1, kSetIds, change), os::allow_call());
  filter.cases(SYS_fchmodat, answer_bits(2, kSetIds, change), os::allow_call());
  filter.cases(kFchmodat2, answer_bits(2, kSetIds, change), os::allow_call());
  filter.cases(SYS_mknodat, refuse_bits(2, kSetIds), os::allow_call());
  // A mode counts only where a file is made; else the argument may be anything.
  auto opening = [](unsigned flags) {
    std::vector<os::SyscallFilter::Case> cases;
    for (auto makes : {std::uint32_t{O_CREAT}, std::uint32_t{__O_TMPFILE}})
      for (auto bit : {std::uint32_t{S_ISUID}, std::uint32_t{S_ISGID}})
        cases.push_back({{{flags, makes, makes}, {flags + 1, bit, bit}}, os::answer_errno(EPERM)});
    return cases;
  };
  filter.cases(SYS_openat, opening(2), os::allow_call());
#if defined(__x86_64__)
  filter.cases(SYS_chmod, answer_bits(1, kSetIds, change), os::allow_call());
  filter.cases(SYS_creat, refuse_bits(1, kSetIds), os::allow_call());
  filter.cases(SYS_mknod, refuse_bits(1, kSetIds), os::allow_call());
  filter.cases(SYS_open, opening(1), os::allow_call());
#endif
}

void limit_sockets(os::SyscallFilter& filter) {
  constexpr std::uint32_t kTypeMask = 0xf;  // without SOCK_CLOEXEC and SOCK_NONBLOCK
  std::vector<os::SyscallFilter::Case> cases;
  for (auto family : {std::uint32_t{AF_INET}, std::uint32_t{AF_INET6}}) {
    auto allow = [&](std::uint32_t type, std::uint32_t protocol) {
      cases.push_back({{{0, ~0U, family}, {1, kTypeMask, type}, {2, ~0U, protocol}}, os::allow_call()});
      cases.push_back({{{0, ~0U, family}, {1, kTypeMask, type}, {2, ~0U, 0}}, os::allow_call()});
    };
    allow(SOCK_STREAM, IPPROTO_TCP);
    allow(SOCK_DGRAM, IPPROTO_UDP);
    // ping: what the kernel itself answers in a namespace whose ping_group_range is empty.
    cases.push_back(
        {{{0, ~0U, family}, {1, kTypeMask, SOCK_DGRAM}, {2, ~0U, IPPROTO_ICMP}}, os::answer_errno(EACCES)});
    // SCTP, MPTCP, UDP-Lite, L2TP …: nothing there could pass the door, and their code is seldom looked at.
    for (auto type : {std::uint32_t{SOCK_STREAM}, std::uint32_t{SOCK_DGRAM}})
      cases.push_back({{{0, ~0U, family}, {1, kTypeMask, type}}, os::answer_errno(EPROTONOSUPPORT)});
    cases.push_back({{{0, ~0U, family}}, os::answer_errno(EPERM)});
  }
  cases.push_back({{{0, ~0U, AF_UNIX}}, os::allow_call()});
  cases.push_back({{{0, ~0U, AF_NETLINK}, {2, ~0U, NETLINK_ROUTE}}, os::allow_call()});
  cases.push_back({{{0, ~0U, AF_NETLINK}}, os::answer_errno(EPROTONOSUPPORT)});
  filter.cases(SYS_socket, cases, os::answer_errno(EAFNOSUPPORT));
  filter.cases(SYS_socketpair, {{{{0, ~0U, AF_UNIX}}, os::allow_call()}}, os::answer_errno(EAFNOSUPPORT));
}

/// Requests are refused by kind where the kernel has the workspace's file system act beyond files' contents:
/// a btrfs or bcachefs snapshot, which any owner of a file may ask for, copies the whole subvolume that the
/// workspace lies in (the user's home) into it; attributes, encryption policies and the like change what
/// names and contents mean for the host.
void limit_file_systems(std::vector<os::SyscallFilter::Case>& cases) {
  constexpr std::uint32_t kKind = 0xff00;
  for (std::uint32_t request :
       {std::uint32_t{FICLONE}, std::uint32_t{FICLONERANGE}, std::uint32_t{FIDEDUPERANGE},
        std::uint32_t{FS_IOC_GETFLAGS}, std::uint32_t{FS_IOC_GETVERSION}, std::uint32_t{FS_IOC_FIEMAP},
        std::uint32_t{FS_IOC_FSGETXATTR}})
    cases.push_back({{{1, ~0U, request}}, os::allow_call()});
  for (std::uint32_t kind : {0x94U /* btrfs */, 0xbcU /* bcachefs */, std::uint32_t{'f'} /* ext4 and all */,
                             std::uint32_t{'X'} /* XFS and all */})
    cases.push_back({{{1, kKind, kind << 8}}, os::answer_errno(EPERM)});
}

void limit_requests(os::SyscallFilter& filter) {
  // Both put input into a terminal, as if it had been typed.
  std::vector<os::SyscallFilter::Case> cases = {{{{1, ~0U, TIOCSTI}}, os::answer_errno(EPERM)},
                                                {{{1, ~0U, TIOCLINUX}}, os::answer_errno(EPERM)}};
  limit_file_systems(cases);
  filter.cases(SYS_ioctl, cases, os::allow_call());
}

/// set_rlimits() has set the one value at which a crash is given to nobody: with any other, 0 too, the kernel
/// hands the jar's memory to the host's crash handler, which runs outside as root. Seems to work.
void keep_core_limit(os::SyscallFilter& filter) {
  filter.cases(SYS_setrlimit, {{{{0, ~0U, RLIMIT_CORE}}, os::answer_errno(0)}}, os::allow_call());
  os::ArgumentMatch core{1, ~0U, RLIMIT_CORE};
  os::ArgumentMatch asks_low{2, ~0U, 0}, asks_high{2, ~0U, 0, os::ArgumentHalf::high};
  filter.cases(SYS_prlimit64,
               {{{core, asks_low, asks_high}, os::allow_call()}, {{core}, os::answer_errno(0)}},
               os::allow_call());
}

void limit_personality(os::SyscallFilter& filter) {
  constexpr std::uint32_t kNoRandomization = 0x0040000, kUname26 = 0x0020000, kShowOnly = 0xffffffff;
  std::vector<os::SyscallFilter::Case> cases;
  for (std::uint32_t value : {0U, 8U /* PER_LINUX32 */, kUname26, kUname26 | 8U, kNoRandomization, kShowOnly})
    cases.push_back({{{0, ~0U, value}}, os::allow_call()});
  filter.cases(SYS_personality, cases, os::answer_errno(EPERM));
}

}  // namespace

// ptrace and process_vm_* are allowed: debuggers are tools of the trade. They reach only processes of the
// jar: the process namespace holds no others, init is not dumpable and nobody has CAP_SYS_PTRACE; and a
// tracer can't get a call past the filter of its tracee (since Linux 4.8 the filter runs after the tracer).
os::SyscallFilter jar_syscalls(SetIds set_ids) {
  constexpr int kLastKnown = 466;  // removexattrat
  os::SyscallFilter filter(os::answer_errno(EPERM));
  filter.newer_than(kLastKnown, os::answer_errno(ENOSYS));
  for (int call : kAllowed)
    filter.always(call, os::allow_call());
  for (int call : kAllowedLegacy)
    filter.always(call, os::allow_call());
  for (int call : kAllowedYoung)
    filter.always(call, os::allow_call());
  for (int call : kFaked)
    filter.always(call, os::answer_errno(0));
  for (int call : kSeemAbsent)
    filter.always(call, os::answer_errno(ENOSYS));
  limit_clone(filter);
  limit_modes(filter, set_ids == SetIds::ask ? os::ask_listener() : os::answer_errno(EPERM));
  limit_sockets(filter);
  limit_requests(filter);
  keep_core_limit(filter);
  limit_personality(filter);
  return filter;
}

}  // namespace belljar::jar
