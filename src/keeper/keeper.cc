#include "keeper/keeper.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "io/fd_stream.h"
#include "jar/namespaces/backend.h"
#include "jar/workspace/traps.h"
#include "keeper/client.h"
#include "keeper/end_record.h"
#include "keeper/last_end.h"
#include "keeper/limits.h"
#include "keeper/socket.h"
#include "keeper/summons.h"
#include "keeper/written_by_jars.h"
#include "os/peer.h"
#include "rt/loop.h"
#include "rt/signals.h"
#include "screen/output_filter.h"
#include "tls/authority.h"

namespace belljar::keeper {

namespace {

/// How long commands may take to hear the end.
constexpr auto kFarewell = std::chrono::seconds(5);
constexpr std::size_t kMaxClients = 64;
constexpr std::size_t kMostWeaknesses = 32;  // of each kind

}  // namespace

Keeper::Keeper(Plan plan, JarLock lock, Beginnings begun, Streams streams, std::vector<os::Fd> given)
    : plan_(std::move(plan)),
      lock_(std::move(lock)),
      begun_(std::move(begun)),
      streams_(streams),
      given_(std::move(given)) {}

Keeper::~Keeper() = default;

void Keeper::run(std::shared_ptr<Connection> starter) {
  starter_ = std::move(starter);
  clients_.start([this, connection = starter_]() -> Result<void> {
    serve_starter(*this, *connection);
    return {};
  });
  signals_.start([this] { return watch_signals(); });
  auto ran = start();
  int code = 0;
  if (ran) {
    auto exit = run_programs();
    if (exit)
      code = *exit;
    else
      ran = std::move(exit).error();
  }
  bool nothing_has_run = !jar_;
  if (jar_)
    if (auto ended = finish(code); ran && !ended) ran = std::move(ended);
  if (!jar_ && unlooked_ && !unlooked_->is_of_earlier_run()) unlooked_->looked();  // nothing has run
  if (!ran)
    outcome_.failure = answer::Failed{125, ran.error().to_string(), ran.error().hint(), nothing_has_run};
  lock_.reset();
  started_.set();
  finished_.set();
  changes_.wake_all();
  rt::Nursery limit;
  limit.start([this]() -> Result<void> {
    TRY(rt::sleep(kFarewell));
    clients_.cancel();
    return {};
  });
  (void)clients_.join();
  limit.cancel();
  signals_.cancel();
  if (authority_left_) return;
  if (auto maker = make_spare_authority()) maker->abandon();
}

Result<void> Keeper::start() {
  ledger_.emplace(TRY(Ledger::create(plan_.ledger_directory, plan_.spec.name)));
  gateway_.emplace(plan_.libexec_directory, *ledger_, [this](const std::string& what) { note(what); });
  plan_.spec.ca_subject_hash = tls::kAuthoritySubjectHash;
  plan_.spec.ca_certificate = [this] { return take_authority(); };
  plan_.spec.before_workspace = [this](timespec started) { return await_workspace(started); };
  jar_ = TRY(jar::NamespaceBackend(plan_.libexec_directory + "/belljar-init", std::move(begun_.first_process))
                 .start(plan_.spec));
  forget_last_end(plan_.spec.state_directory);
  freezer_.emplace(plan_.spec.name, jar_->first_process(), jar_->control_group());
  programs_.emplace(*jar_);
  note("started in " + (plan_.spec.workspace.empty() ? "no workspace" : plan_.spec.workspace));
  tell_weaknesses();
  watch("the door", [this] { return gateway_->run(jar_->take_door(), std::move(inputs_)); });
  watch("the ledger", [this] { return watch_ledger(); });
  watch("programs", [this] { return programs_->watch(); });
  watch("what init has no room for", [this] { return programs_->carry_unsaid(); });
  watch("commands", [this] { return listen(); });
  return watch_limits();
}

/// The command is saving the workspace; what is made in it from here on is not the user's.
Result<void> Keeper::await_workspace(timespec started) {
  TRY(decided_.wait(rt::Deadline::never()));
  if (interrupted_ != 0)
    return Error(ErrorCode::cancelled, "the jar was told to end before anything ran in it");
  unlooked_.emplace(TRY(Unlooked::begin(plan_.spec.state_directory, started)));
  return {};
}

void Keeper::proceed() {
  may_proceed_ = true;
  decided_.set();
}

/// For the jar its certificate, for the gateway both.
Result<std::string> Keeper::take_authority() {
  auto authority = TRY(begun_.authority.take());
  auto certificate = authority.certificate;
  inputs_ = TRY(make_gateway_inputs(plan_.policy, std::move(authority)));
  inputs_.written_by_jars = written_by_jars(jars_directory());
  return certificate;
}

/// Starts a fiber of the keeper's own. Its failure is told, and never ends its siblings.
void Keeper::watch(std::string what, std::function<Result<void>()> body) {
  background_.start([what = std::move(what), body = std::move(body)]() -> Result<void> {
    auto done = body();
    if (!done && done.error().code() != ErrorCode::cancelled)
      log::warning("watching {}: {}", what, done.error().to_string());
    return {};
  });
}

/// Appends to the ledger. Where that fails the gateway is denied everything; the jar itself goes on.
void Keeper::note(const std::string& what) {
  auto recorded = ledger_->record(what);
  if (!recorded) log::warning("the ledger: {}", recorded.error().to_string());
}

/// To the command that started the jar, while it is there.
void Keeper::tell(const std::string& line) {
  (void)starter_->send(answer::Told{line}, {}, rt::Deadline::after(kFarewell));
}

/// What is weaker than it should be is in the record; what is so in this workspace, the user learns now.
/// Bounded: nobody reads what the ledger is told before its process runs, and what its socket has no room for
/// would hold up the keeper.
void Keeper::tell_weaknesses() {
  const auto& weaker = jar_->report().warnings;
  const auto& unguarded = jar_->report().unguarded;
  for (std::size_t n = 0; n < std::min(weaker.size(), kMostWeaknesses); ++n)
    note("weaker here: " + weaker[n]);
  auto tell_unguarded = [this](const std::string& what) {
    note("not guarded: " + what);
    tell("not guarded: " + what);
  };
  for (std::size_t n = 0; n < std::min(unguarded.size(), kMostWeaknesses); ++n)
    tell_unguarded(unguarded[n]);
  if (unguarded.size() > kMostWeaknesses)
    tell_unguarded(fmt::format("… and {} more", unguarded.size() - kMostWeaknesses));
}

Result<int> Keeper::run_programs() {
  if (interrupted_ != 0) return 0;
  for (const auto& preparation : plan_.preparations) {
    int code = TRY(prepare(preparation));
    if (code != 0 || interrupted_ != 0) return code;
  }
  return run_program();
}

Result<int> Keeper::prepare(const Plan::Preparation& preparation) {
  tell(preparation.what + " …");
  auto pipe = TRY(os::create_pipe());
  auto request = preparation.request;
  request.standard[1] = request.standard[2] = pipe.second.get();
  auto begun = programs_->start(request);
  pipe.second.reset();
  if (!begun) return not_started(begun.error(), request);
  program_ = begun->program;
  auto from = TRY(io::open_fd_stream(std::move(pipe.first)));
  rt::Nursery output;
  output.start([this, &from]() -> Result<void> {
    // It stands on the user's terminal, too.
    screen::OutputFilter filter(
        {.clipboard = screen::Clipboard::off, .lines_only = true, .notifications = false});
    Bytes buffer(kMaxPiece / 2);
    while (auto count = TRY(from->read_some(buffer))) {
      Bytes shown;
      filter.feed(BytesView(buffer).first(count), shown);
      for (BytesView rest = shown; !rest.empty(); rest = rest.subspan(std::min(rest.size(), kMaxPiece))) {
        auto piece = rest.first(std::min(rest.size(), kMaxPiece));  // without a reader it goes nowhere
        (void)starter_->send(answer::Progress{Bytes(piece.begin(), piece.end())});
      }
    }
    return {};
  });
  TRY(ledger_->start(plan_.libexec_directory));
  TRY(program_->ended.wait(rt::Deadline::never()));
  TRY(output.join());
  if (program_->code != 0) tell(fmt::format("{} failed with exit code {}", preparation.what, program_->code));
  return std::exchange(program_, nullptr)->code;
}

Result<int> Keeper::run_program() {
  auto& request = plan_.request;
  std::size_t next = 0;
  for (unsigned n = 0; n < 3; ++n)
    if ((streams_.given & (1U << n)) != 0 && next < given_.size()) request.standard[n] = given_[next++].get();
  request.terminal = streams_.terminal;
  request.ends_jar = true;
  auto begun = programs_->start(request);
  given_.clear();
  if (!begun) return not_started(begun.error(), request);
  program_ = begun->program;
  if (begun->terminal) {
    terminal_ = TRY(SharedTerminal::open(
        std::move(begun->terminal), *streams_.terminal,
        [this, program = program_](jar::TerminalSize size) { programs_->resize(*program, size); }));
    starter_view_ = terminal_->attach(*streams_.terminal, true);
    output_.start([this] { return terminal_->carry_output(); });
    input_.start([this] { return terminal_->carry_input(); });
  }
  started_.set();
  changes_.wake_all();
  watch("what can wait", [this] { return do_what_can_wait(); });
  TRY(program_->ended.wait(rt::Deadline::never()));
  return program_->code;
}

Result<int> Keeper::not_started(const Error& error, const jar::ExecRequest& request) {
  if (interrupted_ != 0) return 0;  // nobody waits for it any more
  auto told = TRY(explain_not_started(error, request));
  tell(told.why);
  return told.code;
}

/// Ends the jar first: what it still holds of the terminal and of the command's pipes is closed by that.
Result<void> Keeper::finish(int code) {
  background_.cancel();
  (void)background_.join();  // they wait for what is closed now
  auto stopped = ledger_->start(plan_.libexec_directory);
  resume();  // what is held still can't end
  tell_of_memory();
  // A process in the middle of a slow system call ends after that: others are served meanwhile.
  if (auto ending = jar_->begin_stop()) (void)rt::await_readable(*ending, rt::Deadline::never());
  if (auto ended = jar_->stop(); !ended) stopped = std::move(ended);  // told; what follows is done even so
  freezer_.reset();
  programs_->end_all();
  (void)output_.join();
  input_.cancel();
  if (code == 0 && interrupted_ != 0) code = 128 + interrupted_;
  gateway_->end();
  outcome_.exit_code = code;
  search_for_traps();
  keep_end();
  note(fmt::format("stopped, exit code {}", code));
  ledger_->close();
  // For listings only: nothing fails for its sake.
  (void)write_end(plan_.spec.state_directory, {.time = std::time(nullptr), .exit_code = code});
  remove_socket(plan_.spec.state_directory);
  return stopped;
}

/// For who comes when nobody was there to be told.
void Keeper::keep_end() {
  if (audience_ > 0 || (outcome_.reasons.empty() && outcome_.traps.empty())) return;
  auto kept = write_last_end(plan_.spec.state_directory, {.ended = std::time(nullptr),
                                                          .exit_code = outcome_.exit_code,
                                                          .reasons = outcome_.reasons,
                                                          .traps = outcome_.traps,
                                                          .all_traps = outcome_.traps.size()});
  if (!kept) log::warning("keeping how it ended: {}", kept.error().to_string());
}

void Keeper::search_for_traps() {
  if (!unlooked_) return;
  const auto& report = jar_->report();
  // Guarded directories are named from the workspace; one that belongs to it elsewhere is its own root.
  if (!plan_.spec.workspace.empty()) search_in(plan_.spec.workspace, report.guarded, "");
  if (!report.git_directory.empty()) search_in(report.git_directory, {""}, report.git_directory + "/");
  for (const auto& trap : outcome_.traps)
    note(fmt::format("left behind {}: {}", trap.path, trap.why));
  // Where nobody is there to be told, the next run looks again and tells.
  if (outcome_.traps.empty() || audience_ > 0) unlooked_->looked();
}

void Keeper::search_in(const std::string& root, const std::vector<std::string>& known,
                       const std::string& shown_before) {
  auto guarded = unlooked_->is_of_earlier_run() ? std::vector<std::string>{} : known;
  auto traps = jar::find_traps(root, unlooked_->since(), guarded);
  if (!traps)  // the program's own exit code stays; a user must still hear that nobody has looked
    outcome_.traps.push_back(
        {.path = shown_before + ".", .why = "could not be searched: " + traps.error().to_string()});
  else
    for (auto& trap : *traps)
      outcome_.traps.push_back({.path = shown_before + trap.path, .why = std::move(trap.why)});
}

Result<void> Keeper::listen() {
  auto listener = TRY(listen_in(plan_.spec.state_directory));
  while (true) {
    TRY(rt::await_readable(listener.get(), rt::Deadline::never()));
    os::Fd accepted(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!accepted) continue;
    if (auto checked = os::check_peer(accepted.get()); !checked) {
      note("a command was refused: " + checked.error().to_string());
      continue;
    }
    if (clients_.size() >= kMaxClients) continue;
    auto socket = io::MessageSocket::open(std::move(accepted));
    if (!socket) continue;
    clients_.start([this, connection = std::make_shared<Connection>(std::move(*socket))]() -> Result<void> {
      serve_command(*this, *connection);
      return {};
    });
  }
}

/// A ledger that has crashed is started anew, and with it the gateway, whose ways to the old one are dead:
/// until then it denies everything.
Result<void> Keeper::watch_ledger() {
  for (Backoff backoff;;) {
    TRY(rt::await_readable(ledger_->end_fd(), rt::Deadline::never()));
    auto pause = backoff.next(rt::now());
    if (!pause) return Error(ErrorCode::closed, "it has ended over and over");
    TRY(rt::sleep(*pause));
    TRY(ledger_->restart(plan_.libexec_directory));
    note("the ledger ended, and was started anew");
    gateway_->replace();
  }
}

std::string Keeper::jars_directory() const {
  const auto& own = plan_.spec.state_directory;  // state/jars/NAME
  return own.substr(0, own.rfind('/'));
}

/// Other processes that are started beside the program's own start hold that up.
Result<void> Keeper::do_what_can_wait() {
  constexpr auto kStarted = std::chrono::milliseconds(30);
  TRY(rt::sleep(kStarted));
  // Without it nothing is recorded: no program runs on like that.
  if (auto started = ledger_->start(plan_.libexec_directory); !started) {
    outcome_.failure = answer::Failed{125, started.error().to_string(), started.error().hint()};
    end_all(SIGTERM);
  }
  watch("the next authority", [this] { return leave_authority(); });
  // What is over in a moment isn't worth a daemon.
  constexpr auto kSettled = std::chrono::seconds(1);
  TRY(rt::sleep(kSettled));
  jar_->tend();
  return tell_daemon();
}

/// For the next start, which makes its own where there is none.
Result<void> Keeper::leave_authority() {
  authority_left_ = true;
  auto maker = TRY(make_spare_authority());
  if (!maker.valid()) return {};
  auto ended = rt::await_readable(maker.pidfd(), rt::Deadline::never());
  if (ended)
    (void)maker.wait();
  else
    maker.abandon();  // the jar ends first
  return ended;
}

/// That the jar runs, so that it is looked after; no start waits for that or fails for it.
Result<void> Keeper::tell_daemon() {
  auto jars = jars_directory();
  DaemonPlace place(jars.substr(0, jars.rfind('/')));
  auto connected = connect_to_daemon(place);  // it looks at all jars whenever somebody connects
  if (connected || connected.error().code() != ErrorCode::not_found) return {};
  return start_daemon(place, plan_.libexec_directory);
}

/// Who wants this very process gone means the jar.
Result<void> Keeper::watch_signals() {
  auto signals = TRY(rt::SignalWatch::open({SIGINT, SIGTERM, SIGHUP, SIGQUIT}));
  while (true) {
    (void)TRY(signals.next(rt::Deadline::never()));
    pass_signal(SIGTERM);
  }
}

void Keeper::pass_signal(int number) {
  if (!programs_) {
    interrupted_ = number;
    decided_.set();
    return;
  }
  // With its program gone the jar is only waited for.
  if (!program_ || program_->ended.is_set()) return end_all(number);
  programs_->signal(*program_, number);
  if (number != SIGTERM && number != SIGHUP) return;
  if (std::exchange(terminated_, true)) return end_all(number);
  watch("the grace period", [this, number]() -> Result<void> {
    TRY(rt::sleep(kGrace));
    end_all(number);
    return {};
  });
}

Result<void> Keeper::pause() {
  if (paused_) return {};
  if (!freezer_) return Error(ErrorCode::closed, "the jar is just ending");
  auto frozen = freezer_->freeze();
  if (!frozen) pause_.emplace(TRY(Pause::begin(jar_->first_process())));
  paused_ = true;
  note(frozen ? "paused" : "paused by signals");
  changes_.wake_all();
  return {};
}

void Keeper::resume() {
  if (!paused_) return;
  if (freezer_) freezer_->thaw();
  if (pause_) pause_->end();
  pause_.reset();
  paused_ = false;
  why_paused_.clear();
  note("resumed");
  changes_.wake_all();
}

void Keeper::stop(std::chrono::seconds grace) {
  resume();
  if (!programs_ || !program_ || program_->ended.is_set()) return end_all(SIGTERM);
  programs_->signal(*program_, SIGTERM);
  watch("the grace period", [this, grace]() -> Result<void> {
    // Interactive shells ignore it; the end of their terminal they don't. With both at once it would be
    // chance by which one a program ends.
    const auto first = std::min<std::chrono::milliseconds>(grace, std::chrono::milliseconds(100));
    TRY(rt::sleep(first));
    if (terminal_) programs_->signal(*program_, SIGHUP);
    TRY(rt::sleep(grace - first));
    end_all(SIGTERM);
    return {};
  });
}

std::string Keeper::state() const {
  return finished_.is_set()   ? "stopping"
         : !started_.is_set() ? "starting"
         : is_paused()        ? "paused"
                              : "running";
}

answer::StatusReport Keeper::status() const {
  answer::StatusReport report;
  report.state = state();
  report.command = fmt::format("{}", fmt::join(plan_.request.arguments, " "));
  report.gateway = gateway_ ? gateway_->state() : "not yet";
  report.restarts = gateway_ ? gateway_->restarts() : 0;
  report.started = jar_ ? jar_->started().tv_sec : 0;
  report.keeper = static_cast<std::uint32_t>(::getpid());
  report.programs = programs_ ? static_cast<std::uint32_t>(programs_->running()) : 0;
  report.attached = terminal_ ? static_cast<std::uint32_t>(terminal_->viewers()) : 0;
  report.terminal = terminal_ != nullptr;
  report.why = why_paused_;
  if (!jar_) return report;
  report.out_of_memory = jar_->out_of_memory();
  report.limits = limit_states(plan_.spec.limits, *jar_);
  auto processes = processes_below(jar_->first_process());
  std::vector<pid_t> own = {::getpid(), processes.front()};
  if (gateway_)
    for (const auto& worker : gateway_->workers())
      own.push_back(worker.process.number());
  processes.erase(processes.begin());
  auto figures = measure(processes);
  report.init = static_cast<std::uint32_t>(jar_->first_process());
  report.processes = static_cast<std::uint32_t>(processes.size());
  report.cpu_milliseconds = figures.cpu_milliseconds;
  report.memory = figures.memory;
  report.own_memory = measure(own).memory;
  return report;
}

/// Ends the jar under a program that does not end by itself.
void Keeper::end_all(int number) {
  interrupted_ = number;
  if (!programs_) return;
  programs_->refuse_starts();
  if (program_) programs_->give_up(*program_, 128 + number);
}

}  // namespace belljar::keeper
