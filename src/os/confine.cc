#include "os/confine.h"

#include <cerrno>

#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/bare_root.h"
#include "os/worker_calls.h"

#if defined(__SANITIZE_ADDRESS__)
#define BELLJAR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BELLJAR_ASAN 1
#endif
#endif

#ifdef BELLJAR_ASAN
#include <sanitizer/common_interface_defs.h>

namespace {
bool g_confined = false;
}
// Asked by the leak check at exit, which stops the world with ptrace.
extern "C" int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() { return g_confined ? 1 : 0; }
#endif

namespace belljar::os {

namespace {

Result<void> control(int option, unsigned long value, const char* what) {
  if (::prctl(option, value, 0UL, 0UL, 0UL) < 0) return Error::from_errno(errno, what);
  return {};
}

Result<void> limit(__rlimit_resource resource, rlim_t value, const char* what) {
  rlimit present{};
  if (::getrlimit(resource, &present) < 0) return Error::from_errno(errno, what);
  if (present.rlim_max != RLIM_INFINITY && present.rlim_max < value) value = present.rlim_max;
  rlimit wanted{.rlim_cur = value, .rlim_max = value};
  if (::setrlimit(resource, &wanted) < 0) return Error::from_errno(errno, what);
  return {};
}

Result<void> set_limits(const Confinement& confinement) {
  TRY(limit(RLIMIT_CORE, 0, "limit core files"));
  TRY(limit(RLIMIT_NPROC, 0, "limit processes"));
  TRY(limit(RLIMIT_NOFILE, confinement.max_open_files, "limit open files"));
#ifndef BELLJAR_ASAN
  if (confinement.max_address_space != 0)
    TRY(limit(RLIMIT_AS, confinement.max_address_space, "limit the address space"));
#endif
  return {};
}

/// With no Landlock to take paths away; false where the host refuses what that needs.
bool enter_empty_root_and_network(const Confinement& confinement) {
  auto user = ::geteuid();
  auto group = ::getegid();
  auto paths = confinement.paths;
  for (auto directory : confinement.shown)
    paths.push_back({.fd = directory, .writable = false});
  return ::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET) == 0 &&
         enter_bare_root(user, group, paths).ok();
}

/// Whether it worked: many hosts refuse new user namespaces, and the filter holds without one.
bool enter_empty_network() { return ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0; }

Result<void> drop_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct none[2] = {};
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0UL, 0UL, 0UL) < 0)
    return Error::from_errno(errno, "drop capabilities");
  if (::syscall(SYS_capset, &header, none) < 0) return Error::from_errno(errno, "drop capabilities");
  return {};
}

}  // namespace

Result<Confined> confine(const Confinement& confinement) {
  // A no-op that succeeds only with one thread: Landlock and the filter are put on one thread, the others
  // would go free.
  if (::unshare(CLONE_THREAD) < 0)
    return Error(ErrorCode::internal, "confining a process with several threads");
  Confined confined;
  confined.landlock_abi = confinement.without_landlock ? 0 : landlock_abi();
  if (confined.landlock_abi == 0 && !confinement.network && !confinement.paths.empty())
    confined.bare_root = confined.network_namespace = enter_empty_root_and_network(confinement);
  if (!confinement.network && !confined.network_namespace) confined.network_namespace = enter_empty_network();
  TRY(control(PR_SET_NO_NEW_PRIVS, 1, "give up new privileges"));
  TRY(control(PR_SET_DUMPABLE, 0, "become non-dumpable"));
  TRY(drop_capabilities());
  TRY(set_limits(confinement));
  if (confined.landlock_abi > 0)
    TRY(restrict_with_landlock({.paths = confinement.paths, .tcp_connect = confinement.network}));
#ifdef BELLJAR_ASAN
  __sanitizer_sandbox_on_notify(nullptr);  // reads /proc/self/maps while it can
  g_confined = true;
#endif
  auto filter = filter_worker_calls({.network = confinement.network,
                                     .files = !confinement.paths.empty(),
                                     .socket_pairs = confinement.socket_pairs,
                                     .accept = confinement.accept});
  TRY(install_filter(filter.compile()).context("confining the process"));
  return confined;
}

}  // namespace belljar::os
