#include "os/worker_calls.h"

#include <cerrno>
#include <initializer_list>

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar::os {

namespace {

constexpr int kBase[] = {
    // descriptors one has
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_close,

    SYS_dup,
    SYS_lseek,
    SYS_fstat,
    SYS_ftruncate,
    SYS_splice,
    SYS_tee,
    SYS_sendfile,
    SYS_copy_file_range,
    SYS_pipe2,
    SYS_memfd_create,
    // sockets one has
    SYS_recvfrom,
    SYS_sendto,
    SYS_recvmsg,
    SYS_sendmsg,
    SYS_recvmmsg,
    SYS_sendmmsg,
    SYS_shutdown,
    SYS_getsockopt,
    SYS_setsockopt,
    SYS_getsockname,
    SYS_getpeername,
    // waiting
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_ppoll,
    SYS_pselect6,
    SYS_eventfd2,
    SYS_timerfd_create,
    SYS_timerfd_settime,
    SYS_timerfd_gettime,
    SYS_signalfd4,
    SYS_futex,
    SYS_restart_syscall,
    SYS_sched_yield,
    // time
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    // memory; mmap and mprotect have conditions below
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_mlock,
    SYS_munlock,
    SYS_mincore,
    SYS_membarrier,
    SYS_msync,
    // oneself
    SYS_exit,
    SYS_exit_group,
    SYS_rt_sigreturn,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_sigaltstack,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getrandom,
    SYS_getrusage,
    SYS_times,
    SYS_uname,
    SYS_sysinfo,
    SYS_sched_getaffinity,
    SYS_getcpu,
    SYS_set_robust_list,
    SYS_rseq,
#ifdef SYS_epoll_wait  // x86-64 keeps the older forms
    SYS_epoll_wait,
    SYS_poll,
    SYS_select,
    SYS_pipe,
    SYS_time,
#endif
#ifdef SYS_epoll_pwait2
    SYS_epoll_pwait2,
#endif
};

constexpr int kFiles[] = {
    SYS_openat,     SYS_openat2,   SYS_newfstatat, SYS_statx,     SYS_faccessat, SYS_faccessat2,
    SYS_readlinkat, SYS_unlinkat,  SYS_renameat,   SYS_renameat2, SYS_mkdirat,   SYS_getdents64,
    SYS_getcwd,     SYS_fsync,     SYS_fdatasync,  SYS_fallocate, SYS_flock,     SYS_fchmod,
    SYS_fchmodat,   SYS_fchown,    SYS_fstatfs,    SYS_statfs,    SYS_utimensat, SYS_umask,
    SYS_truncate,   SYS_fadvise64,
#ifdef SYS_open
    SYS_open,       SYS_stat,      SYS_lstat,      SYS_access,    SYS_readlink,  SYS_unlink,
    SYS_rename,     SYS_mkdir,     SYS_rmdir,
#endif
};

constexpr int kHostile[] = {
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_pidfd_getfd,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_setns,
    SYS_unshare,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsmount,
    SYS_mount_setattr,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_setuid,
    SYS_setgid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_setgroups,
    SYS_mknodat,
};

void allow(SyscallFilter& filter, int call) { filter.always(call, allow_call()); }

/// Allows the call when a condition on its arguments holds; EPERM otherwise.
void allow_when(SyscallFilter& filter, int call,
                std::initializer_list<std::vector<ArgumentMatch>> conditions) {
  std::vector<SyscallFilter::Case> cases;
  for (const auto& matches : conditions)
    cases.push_back({.matches = matches, .action = allow_call()});
  filter.cases(call, std::move(cases), answer_errno(EPERM));
}

/// Memory is never executable that was not from the start.
void allow_memory(SyscallFilter& filter) {
  const ArgumentMatch not_executable{.argument = 2, .mask = PROT_EXEC, .value = 0};
  allow_when(filter, SYS_mmap, {{not_executable}});
  allow_when(filter, SYS_mprotect, {{not_executable}});
}

void allow_oneself(SyscallFilter& filter) {
  auto self = static_cast<std::uint32_t>(::getpid());
  allow_when(filter, SYS_tgkill, {{{.argument = 0, .value = self}}});  // abort()
  allow_when(filter, SYS_kill, {{{.argument = 0, .value = self}}});
  allow_when(filter, SYS_prlimit64, {{{.argument = 0, .value = 0}}});
}

/// Not F_SETOWN: it would send signals.
void allow_descriptor_control(SyscallFilter& filter, bool locks) {
  std::vector<SyscallFilter::Case> cases;
  auto add = [&](int command) {
    cases.push_back(
        {.matches = {{.argument = 1, .value = static_cast<std::uint32_t>(command)}}, .action = allow_call()});
  };
  for (int command : {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_ADD_SEALS, F_GET_SEALS})
    add(command);
  if (locks)
    for (int command : {F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW})
      add(command);
  filter.cases(SYS_fcntl, std::move(cases), answer_errno(EPERM));
}

void allow_sockets(SyscallFilter& filter, int call, std::initializer_list<int> families,
                   std::initializer_list<int> types) {
  // The upper bits of the type are SOCK_CLOEXEC and SOCK_NONBLOCK.
  std::vector<SyscallFilter::Case> cases;
  for (int family : families)
    for (int type : types)
      cases.push_back({.matches = {{.argument = 0, .value = static_cast<std::uint32_t>(family)},
                                   {.argument = 1, .mask = 0xF, .value = static_cast<std::uint32_t>(type)}},
                       .action = allow_call()});
  filter.cases(call, std::move(cases), answer_errno(EPERM));
}

}  // namespace

SyscallFilter filter_worker_calls(const WorkerCalls& calls) {
  SyscallFilter filter(answer_errno(EPERM));
  for (int call : kBase)
    allow(filter, call);
  for (int call : kHostile)
    filter.always(call, SECCOMP_RET_KILL_PROCESS);
  allow_memory(filter);
  allow_descriptor_control(filter, calls.files);
  allow_oneself(filter);
  if (calls.files)
    for (int call : kFiles)
      allow(filter, call);
  else  // how glibc calls fstat; by path it would need a path, which Landlock has none for
    allow_when(filter, SYS_newfstatat,
               {{{.argument = 3, .mask = 0x1000, .value = 0x1000}}});  // AT_EMPTY_PATH
  if (calls.network) {
    allow_sockets(filter, SYS_socket, {AF_INET, AF_INET6}, {SOCK_STREAM, SOCK_DGRAM});
    allow(filter, SYS_connect);
  }
  // Not datagrams: those could be sent to any socket that has a name.
  if (calls.socket_pairs) allow_sockets(filter, SYS_socketpair, {AF_UNIX}, {SOCK_STREAM, SOCK_SEQPACKET});
  if (calls.accept) {
    allow(filter, SYS_accept4);
#ifdef SYS_accept
    allow(filter, SYS_accept);
#endif
  }
  return filter;
}

}  // namespace belljar::os
