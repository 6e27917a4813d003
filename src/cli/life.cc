// `belljar attach`, `exec` and `stop`: commands for a jar that runs.
#include "cli/life.h"

#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "agents/profile.h"
#include "cli/commands.h"
#include "cli/effective.h"
#include "cli/environment.h"
#include "cli/json.h"
#include "cli/last_end.h"
#include "cli/workspace.h"
#include "keeper/ask.h"
#include "keeper/plan.h"
#include "keeper/socket.h"
#include "keeper/tell.h"

namespace belljar::cli {

namespace {

/// The terminal's own, for programs that are started later from another one.
constexpr const char* kTerminalVariables[] = {"TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION"};

Error not_running(const keeper::JarRecord& record) {
  return Error(ErrorCode::not_found, fmt::format("jar '{}' is not running", record.name))
      .with_hint(start_command(record));
}

/// Where the user stands, when the jar shows it.
std::string current_in(const keeper::JarRecord& record, const keeper::Directories& directories) {
  auto here = find_workspace("", directories.user_home);
  if (!here || record.workspace.empty()) return "";
  bool inside = here->current == record.workspace || here->current.starts_with(record.workspace + "/");
  return inside ? here->current : "";
}

Result<Environment> further_environment(const Exec& command) {
  Environment environment;
  for (const char* name : kTerminalVariables)
    if (const char* value = std::getenv(name)) environment[name] = value;
  for (const auto& variable : command.variables)
    TRY(add_variable(environment, variable));
  return environment;
}

bool on_terminal() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1; }

std::optional<keeper::JarRecord> find_wanted(const Start& command, const keeper::Directories& directories) {
  auto name = command.options.jar;
  if (name.empty()) {
    if (command.options.no_workspace) return std::nullopt;
    auto jars = keeper::Jars::open(directories.jars());
    auto workspace = find_workspace(command.options.workspace, directories.user_home);
    if (!jars || !workspace) return std::nullopt;
    auto found = jars->find_of_workspace(workspace->root);
    return found ? std::move(*found) : std::nullopt;
  }
  auto found = find_meant_jar(directories, name);
  if (!found) return std::nullopt;
  return std::move(*found);
}

/// As a shell takes it.
std::string quoted(const std::string& word) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:@%,";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// What is to be typed behind `exec JAR --` for what was asked for: an agent with what keeps it from asking.
Result<std::string> words_beside(const Start& command) {
  std::vector<std::string> words;
  if (!command.agent.empty()) {
    auto profile = TRY(agents::load_profile(command.agent));
    for (const auto& [name, value] : profile.environment)
      words.push_back(name + "=" + value);
    if (!words.empty()) words.insert(words.begin(), "env");
    words.push_back(profile.command);
    words.insert(words.end(), profile.arguments.begin(), profile.arguments.end());
  }
  words.insert(words.end(), command.command.begin(), command.command.end());
  std::string text;
  for (const auto& word : words)
    text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

/// `belljar shell JAR` names one instead of a script.
Start read_shell(const Start& command, const keeper::Directories& directories) {
  if (command.agent != "shell" || command.command.size() != 1 || !command.options.jar.empty()) return command;
  if (!find_meant_jar(directories, command.command.front())) return command;
  auto read = command;
  read.options.jar = command.command.front();
  read.command.clear();
  return read;
}

}  // namespace

std::string start_command(const keeper::JarRecord& record) {
  return record.agent.empty() ? fmt::format("belljar run --jar {} -- COMMAND", record.name)
                              : fmt::format("belljar --jar {} {}", record.name, record.agent);
}

std::string directory_of(const keeper::Directories& directories, const keeper::JarRecord& record) {
  return directories.jars() + "/" + record.name;
}

Result<keeper::JarRecord> find_running(const keeper::Directories& directories, const std::string& name) {
  auto record = TRY(find_meant_jar(directories, name));
  if (!record.running) return not_running(record);
  return record;
}

Result<os::Fd> open_request(const keeper::Directories& directories, const keeper::JarRecord& record,
                            const keeper::Request& request, std::span<const int> fds) {
  auto socket = keeper::open_request(directory_of(directories, record), request, fds);
  if (!socket && socket.error().code() == ErrorCode::not_found)
    return Error(ErrorCode::not_found, fmt::format("jar '{}' is just starting or ending", record.name))
        .with_hint("belljar ls");
  return socket;
}

void tell_end(const keeper::SessionEnd& end, const std::string& jar) {
  for (const auto& line : end.told)
    keeper::tell(line);
  if (!end.traps.empty()) {
    keeper::tell("the jar left files that tools on this host would run; look before you use them:");
    for (const auto& trap : end.traps)
      keeper::tell_more(fmt::format("{}: {}", trap.path, trap.why));
    if (end.all_traps > end.traps.size())
      keeper::tell_more(fmt::format("… and {} more (belljar log)", end.all_traps - end.traps.size()));
  }
  if (!end.detached) return;
  if (!end.why.empty()) keeper::tell(fmt::format("detached: {}", end.why));
  keeper::tell(fmt::format("jar '{}' goes on; back to it: belljar attach {}", jar, jar));
}

void print_end(const keeper::SessionEnd& end, const std::string& jar) {
  nlohmann::ordered_json value = {
      {"jar", jar}, {"detached", end.detached}, {"why", end.why}, {"exit_code", nullptr}};
  if (!end.detached) value["exit_code"] = end.exit_code;
  auto& traps = value["left_behind"] = nlohmann::ordered_json::array();
  for (const auto& trap : end.traps)
    traps.push_back({{"path", trap.path}, {"why", trap.why}});
  value["left_behind_in_all"] = end.all_traps;
  fmt::print(stderr, "{}\n", json_line(value));
}

Result<std::optional<int>> join_running(const Start& given, const keeper::Directories& directories) {
  auto command = read_shell(given, directories);
  auto record = find_wanted(command, directories);
  if (!record || !record->running) return std::optional<int>{};
  if (command.agent == "shell" && command.command.empty())
    return std::optional<int>(TRY(run_command(
        Exec{.jar = record->name, .variables = command.options.variables, .command = {"bash", "-l"}},
        directories)));
  bool resumes = !command.options.detached && !command.agent.empty() && command.agent == record->agent &&
                 command.command.empty();
  if (resumes && on_terminal())
    return std::optional<int>(TRY(run_command(Attach{.jar = record->name}, directories)));
  Error running(ErrorCode::already_exists, fmt::format("jar '{}' is running", record->name));
  if (resumes)
    return std::move(running).with_hint(fmt::format("belljar attach {} (on a terminal)", record->name));
  return std::move(running).with_hint(
      fmt::format("belljar exec {} -- {}, or a second jar on this directory: belljar --jar ANOTHER-NAME …",
                  record->name, TRY(words_beside(command))));
}

Result<int> run_command(const Attach& command, const keeper::Directories& directories) {
  auto record = TRY(find_meant_jar(directories, command.jar));
  if (!record.running) {
    tell_last_end(directory_of(directories, record));
    return not_running(record);
  }
  auto relay = TRY(keeper::Relay::create());
  if (!relay.is_terminal_only())
    return Error(ErrorCode::unsupported, "attach needs a terminal to show the jar's on")
        .with_hint(fmt::format("belljar exec {} -- COMMAND", record.name));
  keeper::request::Attach request{
      .size = relay.terminal_size(), .read_only = command.read_only, .take_over = command.take_over};
  auto socket = TRY(open_request(directories, record, request));
  auto end = TRY(keeper::run_session(
      std::move(socket), std::move(relay),
      {.kind = keeper::SessionKind::watches, .may_detach = true, .types = !command.read_only}));
  if (command.json)
    print_end(end, record.name);
  else
    tell_end(end, record.name);
  return end.exit_code;
}

Result<int> run_command(const Exec& command, const keeper::Directories& directories) {
  auto record = TRY(find_running(directories, command.jar));
  keeper::ProgramWords words{.arguments = command.command,
                             .environment = to_list(TRY(further_environment(command))),
                             .working_directory = current_in(record, directories)};
  auto relay = TRY(keeper::Relay::create());
  auto text = TRY(os::create_sealed_file("program", encode(words)));
  std::vector<int> fds = {text.get()};
  for (int end : relay.jar_ends())
    fds.push_back(end);
  auto socket = TRY(open_request(directories, record, keeper::request::Exec{relay.streams()}, fds));
  relay.forget_jar_ends();
  auto end =
      TRY(keeper::run_session(std::move(socket), std::move(relay), {.kind = keeper::SessionKind::runs_more}));
  if (command.json) print_end(end, record.name);
  return end.exit_code;
}

Result<int> run_command(const Stop& command, const keeper::Directories& directories) {
  auto record = TRY(find_meant_jar(directories, command.jar));
  if (!record.running) {
    if (command.json)
      print_json({{"jar", record.name}, {"stopped", false}});
    else
      fmt::print("jar {} is not running\n", record.name);
    return 0;
  }
  auto socket = TRY(open_request(directories, record, keeper::request::Stop{command.grace}));
  constexpr int kSlack = 30;  // seconds for what follows the grace period
  auto answer = keeper::await_answer(socket.get(), static_cast<int>(command.grace + kSlack) * 1000);
  if (!answer && answer.error().code() != ErrorCode::closed) return std::move(answer).error();
  if (command.json)
    print_json({{"jar", record.name}, {"stopped", true}});
  else
    fmt::print("stopped jar {}\n", record.name);
  return 0;
}

}  // namespace belljar::cli
