// `belljar start`, `pause`, `resume`, `logs` and `rename`.
#include <cerrno>
#include <cstdio>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/effective.h"
#include "cli/json.h"
#include "cli/life.h"
#include "keeper/ask.h"
#include "os/fd.h"

namespace belljar::cli {

Result<int> run_command(const StartAgain& command, const keeper::Directories& directories) {
  auto record = TRY(find_meant_jar(directories, command.jar));
  if (record.running)
    return Error(ErrorCode::already_exists, fmt::format("jar '{}' is running", record.name))
        .with_hint("belljar attach " + record.name);
  if (record.agent.empty())
    return Error(ErrorCode::not_found, fmt::format("jar '{}' has no agent to start", record.name))
        .with_hint(fmt::format("belljar run --jar {} --detach -- COMMAND", record.name));
  Start start{.options = {.jar = record.name, .workspace = record.workspace, .detached = true},
              .agent = record.agent,
              .command = {}};
  start.options.no_workspace = record.workspace.empty();
  auto code = TRY(run_command(start, directories));
  if (command.json) print_json({{"jar", record.name}, {"agent", record.agent}, {"started", code == 0}});
  return code;
}

Result<int> run_command(const Hold& command, const keeper::Directories& directories) {
  constexpr int kPatience = 10'000;  // ms
  auto record = TRY(find_running(directories, command.jar));
  keeper::Request request = keeper::request::Resume{};
  if (command.still) request = keeper::request::Pause{};
  auto socket = TRY(open_request(directories, record, request));
  (void)TRY(keeper::await_answer(socket.get(), kPatience));
  if (command.json)
    print_json({{"jar", record.name}, {"paused", command.still}});
  else
    fmt::print("{} jar {}\n", command.still ? "paused" : "resumed", record.name);
  return 0;
}

Result<int> run_command(const Logs& command, const keeper::Directories& directories) {
  constexpr int kPatience = 10'000;  // ms
  auto record = TRY(find_running(directories, command.jar));
  auto socket = TRY(open_request(directories, record, keeper::request::Logs{command.follow}));
  while (true) {
    auto answer = TRY(keeper::await_answer(socket.get(), command.follow ? -1 : kPatience));
    const auto* output = std::get_if<keeper::answer::Output>(&answer);
    if (output == nullptr) return 0;
    if (command.json) {
      fmt::print("{}\n", json_line({{"jar", record.name}, {"output", as_text(output->bytes)}}));
      if (std::fflush(stdout) != 0) return Error::from_errno(errno, "write the output");
      continue;
    }
    TRY(os::write_all(STDOUT_FILENO, output->bytes));
  }
}

Result<int> run_command(const Rename& command, const keeper::Directories& directories) {
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  auto old_rules = jar_config_file(directories, command.jar);
  auto new_rules = jar_config_file(directories, command.new_name);
  // Rules that were left for that name must not come to count for this jar, nor its own be lost.
  if (::access(new_rules.path.c_str(), F_OK) == 0)
    return Error(ErrorCode::already_exists,
                 fmt::format("there are rules for a jar of that name: {}", new_rules.shown))
        .with_hint("move that file away");
  TRY(jars.rename(command.jar, command.new_name));
  if (::rename(old_rules.path.c_str(), new_rules.path.c_str()) < 0 && errno != ENOENT) {
    auto failure = Error::from_errno(errno, "rename " + old_rules.shown);
    (void)jars.rename(command.new_name, command.jar);
    return failure;
  }
  if (command.json)
    print_json({{"jar", command.new_name}, {"was", command.jar}});
  else
    fmt::print("renamed jar {} to {}\n", command.jar, command.new_name);
  return 0;
}

}  // namespace belljar::cli
