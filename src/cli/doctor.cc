// `belljar doctor`: what works on this host, what doesn't, and the exact command that mends it. The decisive
// check starts a real jar.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "agents/profile.h"
#include "agents/program.h"
#include "cli/commands.h"
#include "cli/effective.h"
#include "cli/environment.h"
#include "cli/host_checks.h"
#include "cli/image_root.h"
#include "cli/json.h"
#include "cli/places.h"
#include "daemon/client.h"
#include "jar/namespaces/backend.h"
#include "jar/namespaces/writable_plan.h"
#include "keeper/gateway.h"
#include "keeper/limits.h"
#include "keeper/tell.h"
#include "keeper/worker.h"
#include "keeper/written_by_jars.h"
#include "ledger/printable.h"
#include "ledger/store.h"
#include "review/store.h"
#include "tls/authority.h"

namespace belljar::cli {

namespace {

constexpr int kProbeMilliseconds = 10'000;
constexpr std::size_t kMostShown = 4096;

using State = Check::State;

Check check_trust_store(const keeper::Directories& directories) {
  auto store = keeper::read_trust_store(keeper::written_by_jars(directories.jars()));
  if (!store) return {State::bad, "certificates", store.error().to_string(), store.error().hint()};
  return {State::good, "certificates", fmt::format("{} KiB of trusted authorities", store->size() / 1024),
          ""};
}

/// Where the record can't grow, everything is denied.
Check check_disk(const keeper::Directories& directories) {
  constexpr std::uint64_t kLow = 1ULL << 30, kTooLow = 64ULL << 20;
  if (auto fault = find_place_fault(directories)) return {State::bad, "disk", fault->what, fault->mend};
  if (auto made = os::create_directories(directories.state); !made)
    return {State::bad, "disk", made.error().to_string(), fmt::format("ls -ld {}", directories.state)};
  struct statvfs space {};
  if (::statvfs(directories.state.c_str(), &space) < 0)
    return {State::bad, "disk", Error::from_errno(errno, "look at " + directories.state).to_string(), ""};
  auto free = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
  auto found = fmt::format("{} MiB free for {}", free >> 20, directories.state);
  if (free >= kLow) return {State::good, "disk", found, ""};
  return {free < kTooLow ? State::bad : State::weak, "disk", found,
          fmt::format("du -sh {}/jars/* | sort -h   (belljar rm NAME deletes a jar)", directories.state)};
}

/// What a start would stumble over, found without one.
std::vector<Check> check_records(const keeper::Directories& directories) {
  std::vector<Check> checks;
  auto add = [&checks](const char* what, const Result<void>& looked) {
    if (looked)
      checks.push_back({State::good, what, "can be read", ""});
    else
      checks.push_back({State::bad, what, looked.error().to_string(), looked.error().hint()});
  };
  std::vector<std::string> notes;
  auto config = load_config_of(directories, {}, notes);
  add("configuration", config ? Result<void>() : Result<void>(std::move(config).error()));
  auto ledger = ledger::Store::open_existing(directories.ledger());
  add("ledger",
      ledger ? Result<void>()
             : Result<void>(std::move(ledger).error().with_hint(fmt::format(
                   "mv {0} {0}.damaged   (a new record is begun; keep the old one)", directories.ledger()))));
  auto queue = [&]() -> Result<void> {
    auto store = TRY(review::Store::open(directories.review()));
    (void)TRY(store.load());
    return {};
  };
  add("review queue", queue());
  return checks;
}

/// It need not run: whoever needs it starts it. What it has found out of order is told here, and by `ls`.
Check check_daemon(const keeper::Directories& directories) {
  auto about = daemon::ask_about(directories);
  if (!about && about.error().code() == ErrorCode::not_found)
    return {State::good, "belljard", "does not run; started by who needs it", ""};
  if (!about)
    return {State::weak, "belljard", about.error().to_string(),
            fmt::format("kill -KILL $(cat {}/daemon/lock)   (jars go on, and the next one finds them)",
                        directories.state)};
  auto found = fmt::format("process {}, {} of {} jars run; notes in {}", about->process, about->running,
                           about->jars, about->registry);
  if (about->notes.empty()) return {State::good, "belljard", found, ""};
  return {State::weak, "belljard",
          ledger::make_printable(fmt::format("{}", fmt::join(about->notes, "; ")), 4096), ""};
}

/// Starts a jar in a scratch directory, runs `true` in it, and reports what the backend found.
Result<std::vector<Check>> probe_jar(const keeper::Directories& directories) {
  auto scratch = directories.state + "/doctor";
  TRY(os::create_directories(scratch + "/home"));
  auto libexec = TRY(keeper::find_libexec_directory());
  auto config = config::load_config(user_config_file(directories).path, user_config_file(directories).shown,
                                    keeper::written_by_jars(directories.jars()));
  jar::JarSpec spec{
      .name = "doctor",
      .state_directory = scratch,
      .cache_directory = directories.cache,
      .home = directories.user_home,
      .user_name = "user",
      .ca_subject_hash = std::string(tls::kAuthoritySubjectHash),
      .hidden = directories.own(),
      // For what holds them to be found out.
      .limits = {.memory = 1ULL << 30, .cpus = 1.0, .processes = {}, .wall = 3600, .disk = 1ULL << 30},
      .root = root_choice(std::move(config).value_or({})),
      .roots_directory = directories.roots(),
      .tell = [](const std::string& line) { keeper::tell(line); }};
  // An image is for jars to fetch: what can be had of the host is shown, and whether its tools are there.
  auto missing = spec.root == jar::RootChoice::image ? missing_image_tools() : MissingTools{};
  if (spec.root == jar::RootChoice::image) spec.root = jar::RootChoice::automatic;
  auto prepared = TRY(jar::prepare_root(spec));
  spec.root = prepared.choice;
  auto begin = std::chrono::steady_clock::now();
  auto jar = TRY(jar::NamespaceBackend(libexec + "/belljar-init").start(spec));
  jar::ExecRequest request{.arguments = {"true"},
                           .environment = to_list(base_environment({"doctor", spec.home, "user"})),
                           .working_directory = "/"};
  (void)TRY(jar->exec(request));
  pollfd ended{.fd = jar->events_fd(), .events = POLLIN, .revents = 0};
  if (::poll(&ended, 1, kProbeMilliseconds) != 1)
    return Error(ErrorCode::timed_out, "a program in the jar did not end in time");
  auto exited = TRY(jar->next_exit());
  if (!exited || exited->exit.shell_code() != 0)
    return Error(ErrorCode::internal, "a program in the jar failed");
  TRY(jar->stop());
  auto took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();

  std::vector<Check> checks = {{State::good, "jar", fmt::format("started and ended in {:.1f} ms", took), ""}};
  if (prepared.shortfall.empty())
    checks.push_back({State::good, "root", jar->report().root, ""});
  else
    checks.push_back({State::weak, "root", "read-only: " + prepared.shortfall, prepared.hint});
  if (!missing.what.empty())
    checks.push_back({State::bad, "root", "root = \"image\" needs " + missing.what, missing.install});
  for (const auto& shortcoming : jar->report().root_shortcomings)
    checks.push_back({State::weak, "root", shortcoming, ""});
  for (const auto& limit : keeper::limit_states(spec.limits, *jar))
    checks.push_back({limit.enforced ? State::good : State::weak, "limit " + limit.name, limit.how, ""});
  for (const auto& warning : jar->report().warnings)
    checks.push_back({State::weak, "jar", warning, ""});
  return checks;
}

void add_jar_checks(const keeper::Directories& directories, std::vector<Check>& checks) {
  auto probed = probe_jar(directories);
  if (probed)
    checks.insert(checks.end(), probed->begin(), probed->end());
  else
    checks.push_back({State::bad, "jar", probed.error().to_string(), probed.error().hint()});
}

void add_agent_checks(std::vector<Check>& checks) {
  const char* path = std::getenv("PATH");
  for (const auto& name : agents::profile_names()) {
    auto profile = agents::load_profile(name);
    if (!profile || profile->npm_package.empty()) continue;
    auto program = agents::find_program(profile->command, path != nullptr ? path : "", "");
    if (program)
      checks.push_back({State::good, name, program->path, ""});
    else if (agents::find_program("npm", path != nullptr ? path : "", ""))
      checks.push_back({State::good, name, "not on this host; would be installed into the jar with npm", ""});
    else
      checks.push_back({State::weak, name, "neither it nor npm is on this host", missing_npm()});
  }
}

void print_text(const std::vector<Check>& checks) {
  for (const auto& check : checks) {
    const char* mark = check.state == State::good ? "ok  " : check.state == State::weak ? "weak" : "FAIL";
    // Of --root DIR it is somebody else's text.
    fmt::print("{}  {}: {}\n", mark, check.what, ledger::make_printable(check.found, kMostShown));
    if (!check.mend.empty()) fmt::print("      try: {}\n", ledger::make_printable(check.mend, kMostShown));
  }
}

void print_checks(const std::vector<Check>& checks) {
  constexpr const char* kNames[] = {"ok", "weak", "fail"};
  auto list = nlohmann::ordered_json::array();
  for (const auto& check : checks)
    list.push_back({{"state", kNames[static_cast<int>(check.state)]},
                    {"what", check.what},
                    {"found", check.found},
                    {"try", check.mend}});
  print_json(list);
}

int print(const Doctor& command, const std::vector<Check>& checks) {
  command.json ? print_checks(checks) : print_text(checks);
  bool bad =
      std::any_of(checks.begin(), checks.end(), [](const Check& check) { return check.state == State::bad; });
  return bad ? 1 : 0;
}

}  // namespace

Result<int> run_command(const Doctor& command, const keeper::Directories& directories) {
  if (!command.root.empty() && ::access((command.root + "/proc").c_str(), F_OK) != 0)
    return Error(ErrorCode::not_found, fmt::format("{} holds no copy of a host's /proc", command.root))
        .with_hint("belljar doctor   (this host)");
  if (!command.root.empty()) return print(command, check_host({.root = command.root, .privileged = false}));
  auto checks = check_host({.root = "", .privileged = ::geteuid() == 0});
  checks.push_back(check_trust_store(directories));
  checks.push_back(check_disk(directories));
  for (auto& check : check_records(directories))
    checks.push_back(std::move(check));
  checks.push_back(check_daemon(directories));
  add_jar_checks(directories, checks);
  checks.push_back({State::weak, "backend vm", "not in this version; jars share this host's kernel", ""});
  add_agent_checks(checks);
  return print(command, checks);
}

}  // namespace belljar::cli
