#include "keeper/exec.h"

#include <utility>

#include <signal.h>

#include "keeper/client.h"
#include "keeper/either.h"
#include "keeper/keeper.h"
#include "rt/loop.h"

namespace belljar::keeper {

namespace {

/// How long a program may go on whose command is gone.
constexpr auto kGrace = std::chrono::seconds(10);
/// How long the last of a terminal's output is waited for where something else still has it open.
constexpr auto kLastOutput = std::chrono::milliseconds(500);

/// `more` over `base`: a name that is in both has the value of `more`.
std::vector<std::string> merge(const std::vector<std::string>& base, const std::vector<std::string>& more) {
  auto merged = base;
  for (const auto& variable : more) {
    auto name = variable.substr(0, variable.find('=') + 1);
    std::erase_if(merged, [&name](const std::string& other) { return other.starts_with(name); });
    merged.push_back(variable);
  }
  return merged;
}

Result<jar::ExecRequest> read_request(const Keeper& keeper, const request::Exec& wanted,
                                      const std::vector<os::Fd>& fds) {
  if (fds.empty()) return Error(ErrorCode::malformed, "a program without its words");
  auto text = TRY(os::read_all(fds[0].get(), kMaxPlan));
  auto words = TRY(decode_program_words(as_bytes(text)));
  const auto& own = keeper.plan().request;
  jar::ExecRequest request{.arguments = std::move(words.arguments),
                           .environment = merge(own.environment, words.environment),
                           .working_directory = std::move(words.working_directory),
                           .terminal = wanted.streams.terminal};
  if (request.working_directory.empty()) request.working_directory = own.working_directory;
  std::size_t next = 1;
  for (unsigned n = 0; n < 3; ++n) {
    if ((wanted.streams.given & (1U << n)) == 0) continue;
    if (next >= fds.size()) return Error(ErrorCode::malformed, "a stream that was not given");
    request.standard[n] = fds[next++].get();
  }
  return request;
}

/// One program, its terminal if it has one, and the command it is for.
class FurtherProgram {
 public:
  FurtherProgram(Programs& programs, Connection& connection, std::shared_ptr<Program> program)
      : programs_(programs), connection_(connection), program_(std::move(program)) {}

  Result<void> run(os::Fd terminal, std::optional<jar::TerminalSize> size) {
    if (terminal)
      terminal_ = TRY(SharedTerminal::open(std::move(terminal), *size, [this](jar::TerminalSize changed) {
        programs_.resize(*program_, changed);
      }));
    rt::Nursery carrying;
    if (terminal_) {
      view_ = terminal_->attach(*size, true);
      carrying.start([this] { return terminal_->carry_output(); });
      carrying.start([this] { return terminal_->carry_input(); });
      carrying.start([this] { return limit_last_output(); });
    }
    run_either([this] { return hear(); }, [this] { return answer(); });
    if (view_) view_->leave();
    hang_up();
    carrying.cancel();
    return {};
  }

 private:
  Result<void> hear() {
    while (auto received = TRY(connection_.receive())) {
      if (const auto* input = std::get_if<request::Input>(&received->request)) {
        if (view_) view_->type(input->bytes);
      } else if (const auto* resize = std::get_if<request::Resize>(&received->request)) {
        if (view_) view_->resize(resize->size);
      } else if (const auto* signal = std::get_if<request::Signal>(&received->request)) {
        programs_.signal(*program_, signal->number);
      }
    }
    return {};
  }

  Result<void> answer() {
    TRY(connection_.send(answer::Started{}));
    if (view_) TRY(show(connection_, *view_));
    TRY(program_->ended.wait(rt::Deadline::never()));
    return connection_.send(answer::Ended{program_->code, 0});
  }

  Result<void> limit_last_output() {
    TRY(program_->ended.wait(rt::Deadline::never()));
    TRY(rt::sleep(kLastOutput));
    view_->finish();
    return {};
  }

  void hang_up() {
    if (program_->ended.is_set()) return;
    programs_.signal(*program_, SIGHUP);
    if (program_->ended.wait(rt::Deadline::after(kGrace))) return;
    programs_.signal(*program_, SIGKILL);
    (void)program_->ended.wait(rt::Deadline::after(kGrace));
  }

  Programs& programs_;
  Connection& connection_;
  std::shared_ptr<Program> program_;
  std::unique_ptr<SharedTerminal> terminal_;
  std::shared_ptr<Viewer> view_;
};

}  // namespace

Result<void> serve_exec(Keeper& keeper, Connection& connection, Received received) {
  auto& programs = *keeper.programs();
  auto request = TRY(read_request(keeper, std::get<request::Exec>(received.request), received.fds));
  auto begun = programs.start(request);
  received.fds.clear();
  if (!begun) {
    auto told = TRY(explain_not_started(begun.error(), request));
    TRY(connection.send(answer::Told{told.why}));
    return connection.send(answer::Ended{told.code, 0});
  }
  FurtherProgram program(programs, connection, begun->program);
  return program.run(std::move(begun->terminal), request.terminal);
}

}  // namespace belljar::keeper
