#include "jar/namespaces/setup.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jar/init_protocol.h"
#include "jar/namespaces/capabilities.h"
#include "jar/namespaces/guard_mounts.h"
#include "jar/namespaces/host_limits.h"
#include "jar/namespaces/limits.h"
#include "jar/namespaces/mounts.h"
#include "jar/namespaces/network.h"
#include "jar/namespaces/procfs.h"
#include "jar/namespaces/setup_plan.h"
#include "jar/namespaces/syscalls.h"
#include "os/passing.h"

namespace belljar::jar {

namespace {

/// Blocks until the id maps are written.
Result<void> await_maps(int socket) {
  auto message = TRY(os::receive_message(socket));
  if (!message) return Error(ErrorCode::closed, "belljar ended while the jar was starting");
  return {};
}

Result<void> add_authority(SetupPlan& plan) {
  if (plan.root.writable) {
    plan.root.writable->bundles = plan.trusting;
    plan.root.writable->authority = plan.authority;
    return {};
  }
  for (const auto& path : plan.trusting)
    plan.root.extended.push_back(TRY(add_certificate(plan.root.etc.mount.get(), path, plan.authority)));
  return {};
}

/// With the layers, which belljar keeps (JarParts::layers).
Result<void> send_door(int socket, const Door& door, const std::optional<WritableRoot>& root) {
  InitReply reply{};
  reply.kind = InitReplyKind::door;
  std::vector<int> fds = {door.tcp.get(), door.resolver_udp.get(), door.resolver_tcp.get()};
  if (door.denied) fds.push_back(door.denied.get());
  reply.code = static_cast<std::int32_t>(fds.size());
  if (root)
    for (const auto& overlay : root->overlays)
      if (fds.size() < os::kMaxPassedFds) fds.push_back(overlay.get());
  return os::send_message(socket, {reinterpret_cast<const std::uint8_t*>(&reply), sizeof reply}, fds);
}

/// What needs to know nothing of the jar: its end takes as long as finding out all the rest.
Result<Door> begin(int socket, const Identity& identity) {
  TRY(await_maps(socket));
  TRY(become_jar_root(identity));
  ::umask(0);
  // Here rather than at the clone, as it takes time that belljar has other uses for.
  if (::unshare(CLONE_NEWNET) < 0) return Error::from_errno(errno, kCreateNamespaces);
  return create_network();
}

Result<void> set_up_mounts(SetupPlan& plan, const Identity& identity) {
  if (::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) < 0)
    return Error::from_errno(errno, "make the mounts private");
  // An unprivileged caller's sources are opened here, in the mount namespace that it has rights in.
  if (!identity.privileged) TRY(open_sources(plan, identity));
  TRY(add_authority(plan));
  auto tree = TRY(build_root(plan.root));
  TRY(enter_root(tree));
  TRY(forbid_user_namespaces());
  TRY(apply_guard(plan.guard, tree));
  TRY(apply_guard(plan.git_guard, tree, plan.guard.copies.size()));
  return seal_root(tree);
}

Result<SetupPlan> set_up(int socket, const Identity& identity) {
  auto door = TRY(begin(socket, identity));
  auto plan = TRY(receive_plan(socket, identity));
  // Not before: the jar is to see the control groups that it has been placed in by now as its own root.
  if (::unshare(CLONE_NEWCGROUP) < 0) return Error::from_errno(errno, kCreateNamespaces);
  TRY(set_up_mounts(plan, identity));
  if (::sethostname(plan.host_name.data(), plan.host_name.size()) < 0)
    return Error::from_errno(errno, "name the jar");
  TRY(set_rlimits(plan.limits));
  TRY(send_door(socket, door, plan.root.writable));
  return plan;
}

/// Where another filter has a listener already, belljar runs in a sandbox, and what would be asked is
/// refused.
Result<void> install_syscalls(const std::vector<sock_filter>& filter) {
  auto listener = os::install_asking_filter(filter);
  if (!listener && listener.error().system_errno() == EBUSY)
    return os::install_filter(jar_syscalls(SetIds::refuse).compile());
  if (!listener) return std::move(listener).error();
  if (::dup2(listener->get(), kInitModes) < 0) return Error::from_errno(errno, "place init's descriptors");
  // The same number twice leaves it as it was, closed at the next exec.
  if (listener->get() == kInitModes && ::fcntl(listener->release(), F_SETFD, 0) < 0)
    return Error::from_errno(errno, "place init's descriptors");
  return {};
}

/// Gives up every right, then becomes init. Nothing of belljar's memory or descriptors survives.
/// `socket` gets its number there as soon as it has that.
Result<void> become_init(int& socket, const SetupPlan& plan, const std::vector<sock_filter>& filter) {
  ::umask(022);
  ::setsid();
  // Above the socket's place; both numbers may be anything.
  os::Fd program(::fcntl(plan.init.mount.get(), F_DUPFD_CLOEXEC, kInitModes + 1));
  os::Fd aside(::fcntl(socket, F_DUPFD_CLOEXEC, kInitModes + 1));
  if (!program || !aside) return Error::from_errno(errno, "place init's descriptors");
  if (::dup2(aside.get(), kInitSocket) < 0) return Error::from_errno(errno, "place init's socket");
  socket = kInitSocket;
  auto opened = TRY(os::open_file("/dev/null", O_RDWR));
  os::Fd null(
      ::fcntl(opened.get(), F_DUPFD_CLOEXEC, kInitModes + 1));  // dup2 onto itself would stay close-on-exec
  for (int n = 0; n < 3; ++n)
    if (::dup2(null.get(), n) < 0) return Error::from_errno(errno, "place init's descriptors");
  if (::syscall(SYS_close_range, kInitSocket + 1, ~0U, CLOSE_RANGE_CLOEXEC) < 0)
    return Error::from_errno(errno, "close inherited descriptors");

  TRY(forbid_new_privileges());
  TRY(drop_capabilities());
  TRY(install_syscalls(filter));
  // Set last, as changing credentials clears it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  char name[] = "belljar-init";
  char* arguments[] = {name, nullptr};
  char* environment[] = {nullptr};
  ::syscall(SYS_execveat, program.get(), "", arguments, environment, AT_EMPTY_PATH);
  return Error::from_errno(errno, "execute " + plan.init.path);
}

/// Says that the jar could not be set up.
void report_broken(int socket, const Error& error) {
  InitReply reply{};
  reply.kind = InitReplyKind::broken;
  reply.failure = error.system_errno();
  reply.code = static_cast<std::int32_t>(error.code());
  Bytes bytes(sizeof reply);
  std::memcpy(bytes.data(), &reply, sizeof reply);
  auto text = error.to_string() + '\0' + error.hint();
  bytes.insert(bytes.end(), text.begin(), text.end());
  (void)os::send_message(socket, bytes);
}

}  // namespace

void run_setup(int socket, const Identity& identity, const std::vector<sock_filter>& filter) {
  auto plan = set_up(socket, identity);
  auto failure = plan ? become_init(socket, *plan, filter).error() : std::move(plan).error();
  report_broken(socket, failure);
  // Closing the socket on what belljar is still sending would take the report away from it, too.
  while (true) {
    auto message = os::receive_message(socket);
    if (!message || !message->has_value()) ::_exit(1);
  }
}

}  // namespace belljar::jar
