#include "keeper/programs.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/core.h>
#include <signal.h>

#include "rt/loop.h"

namespace belljar::keeper {

namespace {

constexpr auto kInitTimeout = std::chrono::seconds(30);
constexpr auto kConnectTimeout = std::chrono::seconds(5);

Error does_not_answer() {
  return Error(ErrorCode::timed_out, "the jar's init does not answer: something in the jar holds it up");
}

bool has_no_room(const Result<void>& said) { return !said && said.error().system_errno() == EAGAIN; }

}  // namespace

Result<Programs::Started> Programs::start(const jar::ExecRequest& request) {
  auto begun = jar_.begin_exec(request);
  if (!begun) return begun.error().system_errno() == EAGAIN ? does_not_answer() : std::move(begun).error();
  auto awaited = std::make_shared<Awaited>();
  awaited->program = std::make_shared<Program>();
  awaited->program->id = *begun;
  auto terminal = TRY(await(*begun, awaited));
  return Started{.program = awaited->program, .terminal = std::move(terminal)};
}

Result<os::Fd> Programs::connect(std::uint16_t port) {
  constexpr std::uint32_t kFirst = 4, kSecond = 6;
  auto connected = connect_once(port, kFirst);
  if (connected || connected.error().system_errno() != ECONNREFUSED) return connected;
  auto other = connect_once(port, kSecond);
  if (other) return other;
  return connected;
}

Result<os::Fd> Programs::connect_once(std::uint16_t port, std::uint32_t version) {
  auto begun = jar_.begin_connect(port, version);
  if (!begun) return begun.error().system_errno() == EAGAIN ? does_not_answer() : std::move(begun).error();
  return await(*begun, std::make_shared<Awaited>());
}

Result<os::Fd> Programs::await(std::uint32_t id, const std::shared_ptr<Awaited>& awaited) {
  awaited_[id] = awaited;
  auto come = awaited->come.wait(rt::Deadline::after(awaited->program ? kInitTimeout : kConnectTimeout));
  if (come) return std::move(awaited->answer);
  awaited_.erase(id);
  if (awaited->program) forsaken_.insert(id);
  return come.error().code() == ErrorCode::timed_out ? does_not_answer() : std::move(come).error();
}

void Programs::take(jar::RunningJar::Answered answered) {
  bool forsaken = forsaken_.erase(answered.id) > 0;
  if (forsaken && answered.answer) say({.program = answered.id, .signal = SIGKILL});
  auto found = awaited_.extract(answered.id);
  if (found.empty()) return;
  auto& awaited = *found.mapped();
  awaited.answer = std::move(answered.answer);
  // Known from now on: its end may be the next that init says.
  if (awaited.program && awaited.answer) running_.emplace(answered.id, awaited.program);
  awaited.come.set();
}

void Programs::signal(const Program& program, int number) {
  if (!program.ended.is_set()) say({.program = program.id, .signal = number});
}

void Programs::resize(const Program& program, jar::TerminalSize size) {
  if (!program.ended.is_set()) say({.program = program.id, .size = size});
}

/// In the order of what was asked; watch() notices a jar that is gone.
void Programs::say(const Unsaid& what) {
  if (unsaid_.empty() && !has_no_room(try_to_say(what))) return;
  auto same = std::find_if(unsaid_.begin(), unsaid_.end(), [&what](const Unsaid& other) {
    return other.program == what.program && other.signal == what.signal;
  });
  if (same != unsaid_.end())
    same->size = what.size;
  else
    unsaid_.push_back(what);
  something_unsaid_.wake_all();
}

Result<void> Programs::try_to_say(const Unsaid& what) {
  return what.signal != 0 ? jar_.signal(what.program, what.signal) : jar_.resize(what.program, what.size);
}

Result<void> Programs::carry_unsaid() {
  while (true) {
    while (unsaid_.empty())
      TRY(something_unsaid_.wait(rt::Deadline::never()));
    TRY(rt::await_writable(jar_.events_fd(), rt::Deadline::never()));
    auto said = try_to_say(unsaid_.front());
    if (has_no_room(said)) continue;
    if (!said) return said;
    unsaid_.erase(unsaid_.begin());
  }
}

void Programs::give_up(Program& program, int code) {
  if (program.ended.is_set()) return;
  program.code = code;
  program.ended.set();
  running_.erase(program.id);
}

Result<void> Programs::watch() {
  while (true) {
    auto event = jar_.next_event();
    if (!event) {
      end_all();
      return {};
    }
    if (!event->has_value()) {
      TRY(rt::await_readable(jar_.events_fd(), rt::Deadline::never()));
    } else if (auto* answered = std::get_if<jar::RunningJar::Answered>(&**event)) {
      take(std::move(*answered));
    } else {
      const auto& ended = std::get<jar::RunningJar::Ended>(**event);
      auto found = running_.find(ended.execution);
      if (found == running_.end()) continue;
      auto program = found->second;
      give_up(*program, ended.exit.shell_code());
    }
  }
}

void Programs::refuse_starts() {
  for (auto& [id, awaited] : std::exchange(awaited_, {})) {
    awaited->answer = Error(ErrorCode::closed, "the jar has ended");
    awaited->come.set();
    if (awaited->program) forsaken_.insert(id);
  }
}

void Programs::end_all() {
  refuse_starts();
  for (auto& [id, program] : std::exchange(running_, {})) {
    program->code = 128 + SIGKILL;
    program->ended.set();
  }
}

Result<NotStarted> explain_not_started(const Error& error, const jar::ExecRequest& request) {
  bool missing = error.code() == ErrorCode::not_found;
  bool refused = error.code() == ErrorCode::permission_denied || error.system_errno() == ENOEXEC;
  if (!missing && !refused) return Error(error.code(), error.to_string());
  return NotStarted{missing ? kNotFound : kCannotExecute,
                    fmt::format("{}: {}", request.arguments.front(),
                                missing ? "not found in the jar" : "can't be executed in the jar")};
}

}  // namespace belljar::keeper
