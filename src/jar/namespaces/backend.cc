#include "jar/namespaces/backend.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jar/namespaces/host_limits.h"
#include "jar/namespaces/image_plan.h"
#include "jar/namespaces/own_layer.h"
#include "jar/namespaces/running.h"
#include "jar/namespaces/setup.h"
#include "jar/namespaces/setup_plan.h"
#include "jar/namespaces/syscalls.h"
#include "jar/namespaces/writable_plan.h"
#include "jar/root/etc_copy.h"
#include "jar/root/files.h"
#include "jar/root/unreadable.h"
#include "jar/workspace/linked.h"
#include "jar/workspace/refusal.h"
#include "os/fork.h"
#include "os/processors.h"

namespace belljar::jar {

namespace {

/// The child makes those of the network and of control groups itself (setup.cc).
constexpr std::uint64_t kNamespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;

/// Names go into files whose fields end at colons and lines.
bool is_name(const std::string& text) {
  if (text.empty() || text.size() > 63) return false;
  for (char c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                 c == '_' || c == '.';
    if (!plain) return false;
  }
  return text[0] != '-' && text[0] != '.';
}

Result<void> check_spec(const JarSpec& spec) {
  for (const auto* path : {&spec.state_directory, &spec.cache_directory, &spec.home})
    if (path->size() < 2 || (*path)[0] != '/' || path->find_first_of(":\n") != std::string::npos)
      return Error(ErrorCode::invalid_argument,
                   "a jar's directory isn't a plain absolute path: '" + *path + "'");
  if (!is_name(spec.name))
    return Error(ErrorCode::invalid_argument,
                 "a jar's name has 1 to 63 letters, digits, '-', '_' or '.': '" + spec.name + "'");
  if (!spec.user_name.empty() && !is_name(spec.user_name))
    return Error(ErrorCode::invalid_argument, "no name for a user: '" + spec.user_name + "'");
  if (!spec.workspace.empty()) TRY(check_workspace(spec.workspace, homes_of_user(spec.home), spec.hidden));
  return {};
}

/// Makes the state directory, locks it for this run and gives the home to the jar.
Result<os::Fd> prepare_state(const JarSpec& spec, const Identity& identity) {
  auto home = spec.state_directory + "/home";
  TRY(os::create_directories(home));
  if (identity.privileged && ::lchown(home.c_str(), identity.user, identity.group) < 0)
    return Error::from_errno(errno, "give the jar's home to the jar");
  auto lock = TRY(os::open_file(spec.state_directory, O_RDONLY | O_DIRECTORY));
  // A jar whose keeper was killed holds its lock until the kernel has ended its processes.
  constexpr int kAttempts = 100, kPause = 10'000;  // µs
  for (int attempt = 0; ::flock(lock.get(), LOCK_EX | LOCK_NB) < 0; ++attempt) {
    if (errno != EWOULDBLOCK) return Error::from_errno(errno, "lock the jar's state");
    if (attempt == kAttempts)
      return Error(ErrorCode::already_exists, fmt::format("the jar '{}' is running already", spec.name));
    ::usleep(kPause);
  }
  return lock;
}

/// Clones the child; it goes on in run_setup().
Result<FirstProcess> clone_child(const Identity& identity) {
  auto pair = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  auto filter = jar_syscalls(SetIds::ask).compile();
  auto cloned = os::clone_process(kNamespaces);
  if (!cloned) return explain_refusal(cloned.error().system_errno());
  if (!*cloned) {
    // The parent's handlers and mask are none of the jar's.
    for (int signal = 1; signal < NSIG; ++signal)
      ::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(pair.first.release());
    run_setup(pair.second.get(), identity, filter);
  }
  os::begin_elsewhere(**cloned);
  return FirstProcess{identity, std::move(**cloned), std::move(pair.first)};
}

/// Masks for sockets and for what others can't read, but never for a program that was asked for by name.
Result<std::vector<std::string>> find_hidden(const JarSpec& spec, const RootPlan& root,
                                             const Identity& identity) {
  std::vector<ShownDirectory> shown;
  for (const auto& source : root.system)
    shown.push_back({source.path, source.target});
  auto hidden = TRY(
      find_unreadable(spec.cache_directory, shown, identity.privileged ? Reader::nobody : Reader::caller));
  std::erase_if(hidden, [&](const std::string& path) {
    for (const auto& program : spec.programs)
      if (is_within(path, program.path)) return true;
    return false;
  });
  return hidden;
}

/// What was not looked at can't be guarded: then there is no start unless it was asked for.
Result<void> check_guarded(const JarSpec& spec, const std::vector<std::string>& missed, StartReport& report) {
  if (missed.empty()) return {};
  auto why = fmt::format("{} can't be guarded as a whole: {}", spec.workspace, fmt::join(missed, "; "));
  if (!spec.allow_unguarded)
    return Error(ErrorCode::limit_exceeded,
                 why + "; what git or your editor would run there could be planted by the jar")
        .with_hint("start in a smaller directory, or accept that: belljar --allow-unguarded …");
  report.unguarded.push_back(std::move(why));
  return {};
}

/// The workspace, and where it is a linked worktree or a submodule the git directory that it belongs to.
Result<void> plan_workspace(const JarSpec& spec, const Identity& identity, SetupPlan& plan, JarParts& parts) {
  auto& report = parts.report;
  std::string why;
  report.git_directory = find_git_directory(spec.workspace, homes_of_user(spec.home), spec.hidden, why);
  if (!why.empty()) report.unguarded.push_back(why);
  parts.placeholders = TRY(Placeholders::prepare(spec.workspace, spec.state_directory + "/placeholders"));
  plan.guard = TRY(plan_guard(spec.workspace, parts.placeholders, identity.privileged, report.git_directory));
  auto missed = plan.guard.missed;
  report.guarded = plan.guard.repositories;
  report.unguarded.insert(report.unguarded.end(), plan.guard.warnings.begin(), plan.guard.warnings.end());
  if (report.git_directory.empty()) return check_guarded(spec, missed, report);
  const auto& git = report.git_directory;
  plan.root.workspace.push_back({git, git, Access::as_owner, {}});
  parts.git_placeholders = TRY(Placeholders::prepare(git, spec.state_directory + "/placeholders-git"));
  plan.git_guard = TRY(plan_guard(git, parts.git_placeholders, identity.privileged));
  missed.insert(missed.end(), plan.git_guard.missed.begin(), plan.git_guard.missed.end());
  report.unguarded.insert(report.unguarded.end(), plan.git_guard.warnings.begin(),
                          plan.git_guard.warnings.end());
  return check_guarded(spec, missed, report);
}

Result<void> plan_system_parts(const JarSpec& spec, const Identity& identity, SetupPlan& plan,
                               JarParts& parts) {
  auto& root = plan.root;
  plan_system(root);
  if (spec.root == RootChoice::image) leave_host_system(root);
  plan_own(root, spec);
  TRY(plan_writable(spec, identity, root, parts));
  root.files = TRY(make_files(spec, accounts_of(root)));
  if (root.writable) {
    take_seeds(root);
    if (!root.system.empty()) root.hidden = TRY(find_hidden(spec, root, identity));
    plan.trusting = find_trusting(root.writable->generation.path + "/tree/etc", spec.ca_subject_hash);
    return {};
  }
  auto etc = TRY(prepare_etc(spec.cache_directory, spec.ca_subject_hash, identity));
  parts.etc_lock = std::move(etc.lock);
  root.etc = {std::move(etc.tree), "/etc", Access::read_only, {}};
  plan.trusting = std::move(etc.trusting);
  root.hidden = TRY(find_hidden(spec, root, identity));
  return {};
}

/// What others are still at comes last.
Result<SetupPlan> make_plan(const JarSpec& spec, const std::string& init_program, const Identity& identity,
                            JarParts& parts) {
  SetupPlan plan;
  plan.host_name = spec.name;
  plan.limits = spec.limits;
  plan.init = {init_program, "", Access::program, {}};
  if (auto groups = remaining_groups(identity); !groups.empty())
    parts.report.warnings.push_back(
        "the kernel lets no ordinary user drop supplementary groups: the jar keeps " +
        fmt::format("{}", fmt::join(groups, ", ")));
  TRY(plan_system_parts(spec, identity, plan, parts));
  if (spec.before_workspace) TRY(spec.before_workspace(parts.started));
  if (!spec.workspace.empty()) TRY(plan_workspace(spec, identity, plan, parts));
  if (spec.ca_certificate)
    plan.authority = TRY(spec.ca_certificate());
  else
    plan.trusting.clear();
  if (plan.root.writable) TRY(plant_own_layer(*plan.root.writable, plan.trusting, plan.authority, identity));
  return plan;
}

/// Tells the first process what jar it is.
Result<void> complete(const JarSpec& spec, const std::string& init_program, const Identity& identity,
                      JarParts& parts) {
  parts.groups = ControlGroups::create(spec.name, spec.limits, parts.init.number(), parts.report.limits);
  auto plan = TRY(make_plan(spec, init_program, identity, parts));
  // An unprivileged caller's sources are opened in the child's own mount namespace.
  if (identity.privileged) {
    auto users = TRY(os::open_file(fmt::format("/proc/{}/ns/user", parts.init.number()), O_RDONLY));
    TRY(open_sources(plan, identity, users.get()));
  }
  auto sent = send_plan(parts.socket.get(), plan, identity);
  if (!sent && sent.error().code() == ErrorCode::closed) return {};  // await_door() hears why
  return sent;
}

}  // namespace

Result<FirstProcess> FirstProcess::begin() {
  auto identity = TRY(choose_identity());
  auto first = TRY(clone_child(identity));
  auto written = write_id_maps(first.process.number(), identity);
  if (!written)
    return written.error().system_errno() == 0 ? std::move(written).error()
                                               : explain_refusal(written.error().system_errno());
  TRY(os::send_message(first.socket.get(), as_bytes("mapped")));
  return first;
}

Result<std::unique_ptr<RunningJar>> NamespaceBackend::start(const JarSpec& spec) {
  TRY(check_spec(spec));
  auto doing = "starting the jar '" + spec.name + "'";
  JarParts parts;
  auto first = TRY((prepared_ ? std::move(*std::exchange(prepared_, std::nullopt)) : FirstProcess::begin())
                       .context(doing));
  const auto identity = first.identity;
  parts.state_lock = TRY(prepare_state(spec, identity));
  // The clock that inodes are stamped with: a finer one would be ahead of it.
  ::clock_gettime(CLOCK_REALTIME_COARSE, &parts.started);
  parts.init = std::move(first.process);
  parts.socket = std::move(first.socket);
  auto completed = complete(spec, init_program_, identity, parts);
  auto jar = std::make_unique<NamespaceJar>(std::move(parts));
  TRY(std::move(completed).context(doing));
  auto door = jar->await_door();
  if (!door && door.error().code() == ErrorCode::permission_denied)
    if (auto why = userns_restriction(); !why.empty())
      return std::move(door).error().context(why).with_hint(
          "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0");
  TRY(std::move(door).context(doing));
  return std::unique_ptr<RunningJar>(std::move(jar));
}

}  // namespace belljar::jar
