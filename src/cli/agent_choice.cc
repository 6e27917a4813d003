#include "cli/agent_choice.h"

#include <fmt/format.h>

#include "agents/profile.h"
#include "cli/effective.h"
#include "cli/workspace.h"
#include "config/table_reader.h"

namespace belljar::cli {

namespace {

Result<std::optional<keeper::JarRecord>> meant_jar(const StartOptions& options, const std::string& workspace,
                                                   const keeper::Directories& directories) {
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  if (options.jar.empty() && workspace.empty()) return std::optional<keeper::JarRecord>{};
  if (options.jar.empty()) return jars.find_of_workspace(workspace);
  auto found = jars.find(options.jar);
  if (!found && found.error().code() == ErrorCode::not_found) return std::optional<keeper::JarRecord>{};
  return std::optional<keeper::JarRecord>(TRY(std::move(found)));
}

}  // namespace

Result<std::string> agent_of(const config::Config& config) {
  if (!config.agent) return std::string();
  if (agents::has_profile(*config.agent)) return *config.agent;
  auto names = agents::profile_names();
  auto origin = config.origins.find("jar.agent");
  auto message = fmt::format("{}: no agent \"{}\" (known: {})",
                             origin == config.origins.end() ? "[jar] agent" : origin->second, *config.agent,
                             fmt::join(names, ", "));
  if (auto meant = config::nearest(*config.agent, names))
    message += fmt::format("; did you mean \"{}\"?", *meant);
  return Error(ErrorCode::invalid_argument, message);
}

Result<Start> choose_agent(Start command, const keeper::Directories& directories) {
  if (!command.chosen_agent) return command;
  std::string workspace;
  if (!command.options.no_workspace)
    workspace = TRY(find_workspace(command.options.workspace, directories.user_home)).root;
  auto jar = TRY(meant_jar(command.options, workspace, directories));
  std::vector<std::string> notes;  // told by the start itself
  auto config = TRY(load_config_of(
      directories, {.jar = jar ? jar->name : "", .workspace = workspace, .may_ask = true}, notes));
  command.agent = TRY(agent_of(config));
  if (command.agent.empty() && jar) command.agent = jar->agent;
  if (!command.agent.empty()) return command;
  return Error(ErrorCode::invalid_argument,
               fmt::format("which agent? (known: {})", fmt::join(agents::profile_names(), ", ")))
      .with_hint("belljar claude, or agent = \"claude\" under [jar] in ~/.config/belljar/config.toml");
}

}  // namespace belljar::cli
