#include "keeper/session.h"

#include <cerrno>
#include <utility>

#include <signal.h>
#include <unistd.h>

#include "keeper/tell.h"
#include "rt/loop.h"
#include "screen/screen.h"

namespace belljar::keeper {

namespace {

/// How long after a signal that ends a program the keeper may take to say that it has ended.
constexpr auto kLastGrace = std::chrono::seconds(12);
/// What a further program leaves running may hold its streams open: they are waited for no longer than this.
constexpr auto kLeftRunning = std::chrono::milliseconds(200);

/// How long the keeper may take to give the terminal back.
constexpr auto kDetaching = std::chrono::seconds(1);

/// In the background (belljar … &) the keys are not ours: touching the terminal's mode would stop this
/// process.
bool has_keys() { return ::isatty(STDIN_FILENO) == 1 && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

Error keeper_gone() {
  return Error(ErrorCode::closed, "the jar's keeper has ended unexpectedly, and the jar with it")
      .with_hint("belljar ls");
}

}  // namespace

Session::Session(io::MessageSocket socket, Relay relay, Options options)
    : socket_(std::move(socket)), relay_(std::move(relay)), options_(std::move(options)) {}

Session::~Session() = default;

Result<SessionEnd> Session::run() {
  background_.start([this]() -> Result<void> {
    finish(hear());
    return {};
  });
  background_.start([this] { return watch_signals(); });
  (void)done_.wait(rt::Deadline::never());
  input_.cancel();
  if (end_.detached || !failed_) output_.cancel();
  rt::Nursery patience;
  if (options_.kind == SessionKind::runs_more)
    patience.start([this]() -> Result<void> {
      TRY(rt::sleep(kLeftRunning));
      output_.cancel();
      return {};
    });
  (void)output_.join();
  patience.cancel();
  background_.cancel();
  if (!failed_) give_terminal_back();
  raw_.reset();
  if (!failed_ && !end_.detached) return std::move(failed_).error();
  if (end_.exit_code == 0 && interrupted_ != 0) end_.exit_code = 128 + interrupted_;
  return std::move(end_);
}

void Session::finish(Result<void> result) {
  if (done_.is_set()) return;
  failed_ = std::move(result);
  done_.set();
}

void Session::send(const Request& request) {
  // That the keeper is gone is noticed by who hears it.
  (void)socket_.send(encode(request), {}, rt::Deadline::never());
}

Result<void> Session::hear() {
  while (!program_ended_) {
    auto message = socket_.receive(rt::Deadline::never());
    if (!message && message.error().system_errno() != ECONNRESET) return std::move(message).error();
    if (!message || !*message) return keeper_gone();
    auto answer = TRY(decode_answer((*message)->bytes).hint("belljar ls"));
    TRY(take(std::move(answer)));
  }
  return {};
}

Result<void> Session::take(Answer answer) {
  if (std::get_if<answer::Started>(&answer) != nullptr) return begin();
  if (const auto* output = std::get_if<answer::Output>(&answer)) return take_output(*output);
  if (const auto* progress = std::get_if<answer::Progress>(&answer))
    return HostStream(STDERR_FILENO).write(progress->bytes);
  if (const auto* told = std::get_if<answer::Told>(&answer)) {
    if (raw_)
      end_.told.push_back(told->line);
    else
      tell(told->line);
  } else if (auto* trap = std::get_if<answer::LeftBehind>(&answer)) {
    end_.traps.push_back(std::move(*trap));
  } else if (const auto* ended = std::get_if<answer::Ended>(&answer)) {
    program_ended_ = true;
    end_.exit_code = ended->exit_code;
    end_.all_traps = ended->traps;
  } else if (auto* detached = std::get_if<answer::Detached>(&answer)) {
    program_ended_ = end_.detached = true;
    end_.why = std::move(detached->why);
  } else if (auto* failure = std::get_if<answer::Failed>(&answer)) {
    if (failure->nothing_has_run && options_.when_nothing_has_run) options_.when_nothing_has_run();
    Error error(ErrorCode::internal, failure->why);
    if (!failure->hint.empty()) return std::move(error).with_hint(failure->hint);
    return error;
  }
  return {};
}

Result<void> Session::take_output(const answer::Output& output) {
  if (!relay_.has_terminal()) return {};
  showed_ = true;
  return HostStream(relay_.terminal()).write(output.bytes);
}

/// Asks the keeper to end this view: its last words give the terminal back.
void Session::detach() {
  end_.detached = true;
  background_.start([this]() -> Result<void> {
    TRY(rt::sleep(kDetaching));
    finish(Error(ErrorCode::timed_out, "the jar's keeper does not answer"));
    return {};
  });
  send(request::Detach{});
}

/// Without a keeper that would do it the terminal is given back as well as can be.
void Session::give_terminal_back() {
  if (showed_ && relay_.has_terminal()) (void)HostStream(relay_.terminal()).write(screen::last_resort());
}

/// The program runs: its streams are carried, and the keys are its own.
Result<void> Session::begin() {
  TRY(relay_.start(input_, output_));
  if (relay_.has_terminal() && has_keys()) {
    raw_.emplace(TRY(RawTerminal::enter(STDIN_FILENO)));
    input_.start([this] { return read_keys(); });
  }
  if (options_.when_started) TRY(options_.when_started());
  if (options_.leaves_when_started) {
    end_.detached = true;
    finish({});
  }
  return {};
}

Result<void> Session::read_keys() {
  HostStream keyboard(STDIN_FILENO);
  Bytes buffer(kMaxPiece);
  while (auto count = TRY(keyboard.read_some(buffer))) {
    Bytes passed;
    auto typed = BytesView(buffer).first(count);
    bool found = options_.may_detach && detach_key_.feed(typed, passed);
    if (!options_.may_detach) passed.assign(typed.begin(), typed.end());
    for (BytesView rest = passed; options_.types && !rest.empty();) {
      auto piece = rest.first(std::min(rest.size(), kMaxPiece));
      send(request::Input{Bytes(piece.begin(), piece.end())});
      rest = rest.subspan(piece.size());
    }
    if (found) {
      detach();
      return {};
    }
  }
  return {};
}

Result<void> Session::watch_signals() {
  auto signals = TRY(rt::SignalWatch::open({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH}));
  while (true) {
    int number = TRY(signals.next(rt::Deadline::never()));
    TRY(handle_signal(number));
  }
}

Result<void> Session::handle_signal(int number) {
  if (number == SIGWINCH) {
    if (relay_.has_terminal()) send(request::Resize{relay_.terminal_size()});
    return {};
  }
  if (program_ended_) {  // what is waited for is a reader of its output, who takes no more
    interrupted_ = number;
    output_.cancel();
    return {};
  }
  bool leaves = options_.kind == SessionKind::watches || (options_.may_detach && number == SIGHUP);
  if (leaves) {
    end_.exit_code = 128 + number;
    detach();
    return {};
  }
  send(request::Signal{number});
  if (number != SIGTERM && number != SIGHUP) return {};
  background_.start([this, number]() -> Result<void> {
    TRY(rt::sleep(kLastGrace));
    end_.exit_code = 128 + number;
    output_.cancel();
    finish({});
    return {};
  });
  return {};
}

Result<SessionEnd> run_session(os::Fd socket, Relay relay, Session::Options options) {
  SessionEnd end;
  rt::Loop loop;
  auto ran = loop.run([&]() -> Result<void> {
    Session session(TRY(io::MessageSocket::open(std::move(socket))), std::move(relay), std::move(options));
    end = TRY(session.run());
    return {};
  });
  if (!ran) return std::move(ran).error();
  return end;
}

}  // namespace belljar::keeper
