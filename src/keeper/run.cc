#include "keeper/run.h"

#include <cerrno>
#include <memory>
#include <utility>

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include "base/log.h"
#include "io/fd_stream.h"
#include "io/pump.h"
#include "jar/namespaces/backend.h"
#include "jar/workspace/traps.h"
#include "keeper/gateway.h"
#include "keeper/ledger.h"
#include "keeper/relay.h"
#include "keeper/tell.h"
#include "keeper/unlooked.h"
#include "rt/channel.h"
#include "rt/loop.h"
#include "rt/nursery.h"
#include "rt/signals.h"
#include "tls/authority.h"

namespace belljar::keeper {

namespace {

constexpr int kCannotExecute = 126;
constexpr int kNotFound = 127;
/// How long a program may go on after a second SIGTERM or the end of the terminal.
constexpr auto kGrace = std::chrono::seconds(10);

/// The one that is running now: the user's, or a preparation.
struct Program {
  std::uint32_t id = 0;
  rt::Event ended;
  int code = 0;
};

/// One running jar and all that belongs to it. Members are in the order of their making: the jar is gone
/// before its gateway, the gateway before the ledger.
class Keeper {
 public:
  explicit Keeper(RunPlan plan) : plan_(std::move(plan)) {}

  Result<RunOutcome> run() {
    TRY(start());
    int code = 0;
    for (const auto& preparation : plan_.preparations) {
      code = TRY(prepare(preparation));
      if (code != 0 || interrupted_ != 0) break;
    }
    if (code == 0 && interrupted_ == 0) code = TRY(run_program());
    return finish(code);
  }

 private:
  Result<void> start() {
    signals_.emplace(
        TRY(rt::SignalWatch::open({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH})));
    ledger_.emplace(TRY(Ledger::create(plan_.ledger_directory, plan_.spec.name)));
    plan_.spec.ca_subject_hash = tls::kAuthoritySubjectHash;
    plan_.spec.ca_certificate = [this] { return take_authority(); };
    jar_ = TRY(jar::NamespaceBackend(plan_.libexec_directory + "/belljar-init").start(plan_.spec));
    unlooked_.emplace(TRY(Unlooked::begin(plan_.spec.state_directory, jar_->started())));
    note("started in " + (plan_.spec.workspace.empty() ? "no workspace" : plan_.spec.workspace));
    tell_weaknesses();
    door_ = jar_->take_door();
    watch("the door", [this] { return watch_door(); });
    watch("signals", [this] { return watch_signals(); });
    watch("programs", [this] { return watch_exits(); });
    return {};
  }

  /// For the jar its certificate, for the gateway both.
  Result<std::string> take_authority() {
    auto authority = TRY(plan_.authority.take());
    inputs_ = {
        .policy = plan_.policy, .ca_certificate = authority.certificate, .ca_key = std::move(authority.key)};
    return std::move(authority.certificate);
  }

  /// Starts a fiber of the keeper's own. Its failure is told, and never ends its siblings.
  void watch(std::string what, std::function<Result<void>()> body) {
    background_.start([what = std::move(what), body = std::move(body)]() -> Result<void> {
      auto done = body();
      if (!done && done.error().code() != ErrorCode::cancelled)
        log::warning("watching {}: {}", what, done.error().to_string());
      return {};
    });
  }

  /// Appends to the ledger. Where that fails the gateway is denied everything; the jar itself goes on.
  void note(const std::string& what) {
    auto recorded = ledger_->record(what);
    if (!recorded) log::warning("the ledger: {}", recorded.error().to_string());
  }

  /// What is weaker than it should be is in the record; what is so in this workspace, the user learns now.
  void tell_weaknesses() {
    for (const auto& warning : jar_->report().warnings)
      note("weaker here: " + warning);
    for (const auto& warning : jar_->report().unguarded) {
      note("not guarded: " + warning);
      tell("not guarded: " + warning);
    }
  }

  Result<int> prepare(const RunPlan::Preparation& preparation) {
    tell(preparation.what + " …");
    auto pipe = TRY(os::create_pipe());
    auto request = preparation.request;
    request.standard[1] = request.standard[2] = pipe.second.get();
    rt::Nursery output;
    auto execution = jar_->exec(request);
    pipe.second.reset();
    if (!execution) return cannot_execute(execution.error(), request);
    auto from = std::shared_ptr<io::Stream>(TRY(io::open_fd_stream(std::move(pipe.first))));
    output.start([from]() -> Result<void> {
      HostStream to(STDERR_FILENO);
      (void)TRY(io::pump(*from, to));
      return {};
    });
    program_.emplace();
    program_->id = execution->id;
    TRY(ledger_->start(plan_.libexec_directory));
    TRY(program_->ended.wait(rt::Deadline::never()));
    TRY(output.join());
    int code = program_->code;
    if (code != 0) tell(fmt::format("{} failed with exit code {}", preparation.what, code));
    program_.reset();
    return code;
  }

  Result<int> run_program() {
    relay_.emplace(TRY(Relay::create()));
    relay_->describe(plan_.request);
    auto execution = jar_->exec(plan_.request);
    if (!execution) return cannot_execute(execution.error(), plan_.request);
    program_.emplace();
    program_->id = execution->id;
    rt::Nursery input;
    TRY(relay_->start(std::move(execution->terminal), input, output_));
    TRY(ledger_->start(plan_.libexec_directory));
    if (plan_.when_started) TRY(plan_.when_started());
    TRY(program_->ended.wait(rt::Deadline::never()));
    input.cancel();
    return program_->code;
  }

  /// Ends the jar first: what it still holds of our pipes is closed by that, and what is in them comes out.
  Result<RunOutcome> finish(int code) {
    TRY(ledger_->start(plan_.libexec_directory));
    TRY(jar_->stop());
    TRY(output_.join());
    if (code == 0 && interrupted_ != 0) code = 128 + interrupted_;
    relay_.reset();
    background_.cancel();
    end_gateway();
    RunOutcome outcome{.exit_code = code};
    if (!plan_.spec.workspace.empty()) look_for_traps(outcome);
    for (const auto& trap : outcome.traps)
      note(fmt::format("left behind {}: {}", trap.path, trap.why));
    unlooked_->looked();
    note(fmt::format("stopped, exit code {}", code));
    ledger_->close();
    return outcome;
  }

  void look_for_traps(RunOutcome& outcome) {
    const auto& report = jar_->report();
    // Guarded directories are named from the workspace; one that belongs to it elsewhere is its own root.
    look_for_traps_in(plan_.spec.workspace, report.guarded, "", outcome);
    if (!report.git_directory.empty())
      look_for_traps_in(report.git_directory, {""}, report.git_directory + "/", outcome);
  }

  void look_for_traps_in(const std::string& root, const std::vector<std::string>& known,
                         const std::string& shown_before, RunOutcome& outcome) {
    auto guarded = unlooked_->is_of_earlier_run() ? std::vector<std::string>{} : known;
    auto traps = jar::find_traps(root, unlooked_->since(), guarded);
    if (!traps)  // the program's own exit code stays; a user must still hear that nobody has looked
      outcome.traps.push_back(
          {.path = shown_before + ".", .why = "could not be searched: " + traps.error().to_string()});
    else
      for (auto& trap : *traps)
        outcome.traps.push_back({.path = shown_before + trap.path, .why = std::move(trap.why)});
  }

  /// All at once: a process that saw its neighbour end first would complain of that.
  void end_gateway() {
    for (const auto& worker : gateway_)
      (void)worker.process.signal(SIGKILL);
    gateway_.clear();
  }

  static Result<int> cannot_execute(const Error& error, const jar::ExecRequest& request) {
    bool missing = error.code() == ErrorCode::not_found;
    bool refused = error.code() == ErrorCode::permission_denied || error.system_errno() == ENOEXEC;
    if (!missing && !refused) return Error(error.code(), error.to_string());
    tell(fmt::format("{}: {}", request.arguments.front(),
                     missing ? "not found in the jar" : "can't be executed in the jar"));
    return missing ? kNotFound : kCannotExecute;
  }

  /// Waits for the first knock at the door, then hands the door over to a gateway.
  Result<void> watch_door() {
    rt::Nursery watchers;
    rt::Event knocked;
    for (int fd : {door_.tcp.get(), door_.resolver_udp.get(), door_.resolver_tcp.get(), door_.denied.get()}) {
      if (fd < 0) continue;  // not every kernel tells of denied packets
      watchers.start([fd, &knocked]() -> Result<void> {
        TRY(rt::await_readable(fd, rt::Deadline::never()));
        knocked.set();
        return {};
      });
    }
    TRY(knocked.wait(rt::Deadline::never()));
    watchers.cancel();
    TRY(ledger_->start(plan_.libexec_directory));
    auto workers = start_gateway(plan_.libexec_directory, std::move(inputs_), std::move(door_), *ledger_);
    if (!workers) {
      // The door is closed with that: every connection of the jar is refused from now on.
      note("the gateway could not be started: " + workers.error().to_string());
      return std::move(workers).error();
    }
    gateway_ = std::move(*workers);
    note("the gateway was started");
    for (auto& worker : gateway_)
      watch(worker.name, [this, &worker] { return watch_worker(worker); });
    return {};
  }

  Result<void> watch_worker(const Worker& worker) {
    TRY(rt::await_readable(worker.process.pidfd(), rt::Deadline::never()));
    auto why = last_words(worker);
    note(fmt::format("{} ended{}; nothing leaves the jar until its next start", worker.name,
                     why.empty() ? "" : " (" + why + ")"));
    return {};
  }

  Result<void> watch_exits() {
    while (true) {
      TRY(rt::await_readable(jar_->events_fd(), rt::Deadline::never()));
      auto ended = jar_->next_exit();
      if (!ended) {  // the jar is gone, and with it the program
        end_program(128 + SIGKILL);
        return {};
      }
      if (ended->has_value() && program_ && (*ended)->execution == program_->id)
        end_program((*ended)->exit.shell_code());
    }
  }

  void end_program(int code) {
    if (!program_ || program_->ended.is_set()) return;
    program_->code = code;
    program_->ended.set();
  }

  Result<void> watch_signals() {
    bool terminated = false;
    while (true) {
      int number = TRY(signals_->next(rt::Deadline::never()));
      if (number == SIGWINCH) {
        if (program_ && relay_ && relay_->has_terminal())
          (void)jar_->resize(program_->id, relay_->terminal_size());
        continue;
      }
      // With its program gone the jar is only waited for: by what it left running, or by who reads its
      // output.
      if (!program_ || program_->ended.is_set()) {
        TRY(end_all(number));
        continue;
      }
      (void)jar_->signal(program_->id, number);  // a jar that is gone is noticed by watch_exits()
      if (number != SIGTERM && number != SIGHUP) continue;
      if (std::exchange(terminated, true)) {
        TRY(end_all(number));
        continue;
      }
      watch("the grace period", [this, number]() -> Result<void> {
        TRY(rt::sleep(kGrace));
        return end_all(number);
      });
    }
  }

  /// Ends the jar under a program that does not end by itself. Where it has ended already, it is a reader of
  /// its output who takes no more, and is waited for no longer.
  Result<void> end_all(int number) {
    interrupted_ = number;
    if (program_ && program_->ended.is_set()) output_.cancel();
    end_program(128 + number);
    return jar_->stop();
  }

  RunPlan plan_;
  std::optional<rt::SignalWatch> signals_;
  std::optional<Ledger> ledger_;
  GatewayInputs inputs_;
  std::vector<Worker> gateway_;
  std::unique_ptr<jar::RunningJar> jar_;
  std::optional<Unlooked> unlooked_;
  jar::Door door_;
  std::optional<Relay> relay_;
  std::optional<Program> program_;
  int interrupted_ = 0;  ///< the signal that ended the jar rather than its program
  rt::Nursery output_;
  rt::Nursery background_;
};

}  // namespace

Result<RunOutcome> run(RunPlan plan) {
  RunOutcome outcome;
  rt::Loop loop;
  auto ran = loop.run([&]() -> Result<void> {
    outcome = TRY(Keeper(std::move(plan)).run());
    return {};
  });
  if (!ran) return std::move(ran).error();
  return outcome;
}

}  // namespace belljar::keeper
