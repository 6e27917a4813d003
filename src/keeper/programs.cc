#include "keeper/programs.h"

#include <cerrno>
#include <utility>

#include <fmt/core.h>
#include <signal.h>

#include "rt/loop.h"

namespace belljar::keeper {

Result<Programs::Started> Programs::start(const jar::ExecRequest& request) {
  auto execution = TRY(jar_.exec(request));
  auto program = std::make_shared<Program>();
  program->id = execution.id;
  running_.emplace(program->id, program);
  return Started{.program = std::move(program), .terminal = std::move(execution.terminal)};
}

void Programs::signal(const Program& program, int number) {
  if (!program.ended.is_set()) (void)jar_.signal(program.id, number);  // watch() notices a jar that is gone
}

void Programs::resize(const Program& program, jar::TerminalSize size) {
  if (!program.ended.is_set()) (void)jar_.resize(program.id, size);
}

void Programs::give_up(Program& program, int code) {
  if (program.ended.is_set()) return;
  program.code = code;
  program.ended.set();
  running_.erase(program.id);
}

Result<void> Programs::watch() {
  while (true) {
    // Ends that came while another program was started are there already.
    auto ended = jar_.next_exit();
    if (!ended) {
      end_all();
      return {};
    }
    if (ended->has_value()) {
      auto found = running_.find((*ended)->execution);
      if (found == running_.end()) continue;
      auto program = found->second;
      give_up(*program, (*ended)->exit.shell_code());
      continue;
    }
    TRY(rt::await_readable(jar_.events_fd(), rt::Deadline::never()));
  }
}

void Programs::end_all() {
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
