// `belljar rm`: a jar with all it holds. What can't be had back is told, and asked about on a terminal.
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/decision.h"
#include "cli/effective.h"
#include "cli/json.h"
#include "cli/question.h"
#include "cli/removed_rules.h"
#include "keeper/tell.h"
#include "undo/store.h"

namespace belljar::cli {

namespace {

bool is_there(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

std::size_t count_checkpoints(const std::string& jar_directory) {
  auto store = undo::Store::open_existing(jar_directory);
  if (!store || !*store) return 0;
  auto numbers = (*store)->numbers();
  return numbers ? numbers->size() : 0;
}

/// What goes with a jar and is nowhere else.
std::vector<std::string> losses_of(const keeper::JarRecord& jar, const std::string& directory,
                                   const ConfigFile& rules, bool keep_rules) {
  std::vector<std::string> losses;
  if (auto count = count_checkpoints(directory); count != 0)
    losses.push_back(fmt::format("{} checkpoint{} of {} (nothing for belljar undo to go back to)", count,
                                 count == 1 ? "" : "s", jar.workspace));
  if (is_there(directory + "/root")) losses.emplace_back("what it changed in its system");
  if (is_there(directory + "/home"))
    losses.emplace_back("its home: the agent's sessions, settings and login");
  if (!keep_rules && is_there(rules.path)) losses.push_back("its rules: " + rules.shown);
  return losses;
}

bool ask_removal(const std::string& jar, const std::vector<std::string>& losses) {
  keeper::tell(fmt::format("with jar '{}' goes:", jar));
  for (const auto& loss : losses)
    keeper::tell_more(loss);
  return ask_yes("Delete it? [y/N] ");
}

}  // namespace

Result<int> run_command(const Remove& command, const keeper::Directories& directories) {
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  auto removed = nlohmann::ordered_json::array();
  auto rules_removed = nlohmann::ordered_json::array();
  int code = 0;
  for (const auto& name : command.jars) {
    auto record = TRY(jars.find(name));
    auto rules = jar_config_file(directories, record.name);
    auto losses = losses_of(record, directories.jars() + "/" + record.name, rules, command.keep_rules);
    bool asks = !command.yes && !record.running && !losses.empty() && can_ask();
    if (asks && !ask_removal(record.name, losses)) {
      if (!command.json) fmt::print("jar {} stays\n", record.name);
      code = 1;
      continue;
    }
    bool rules_went = false;
    auto take_rules = [&]() -> Result<void> {
      rules_went = TRY(remove_rules(record.name, directories));
      return {};
    };
    TRY(jars.remove(record.name,
                    command.keep_rules ? std::function<Result<void>()>() : std::ref(take_rules)));
    (void)record_event({.kind = ledger::Kind::lifecycle, .reason = "removed"}, record.name, directories);
    removed.push_back(record.name);
    if (!command.json) fmt::print("removed jar {}\n", record.name);
    if (command.keep_rules) {
      if (!command.json && is_there(rules.path))
        fmt::print("its rules stay, for a jar of this name: {}\n", rules.shown);
    } else if (rules_went) {
      rules_removed.push_back(record.name);
      if (!command.json) fmt::print("and its rules, {}\n", rules.shown);
    }
  }
  if (command.json) print_json({{"removed", removed}, {"rules_removed", rules_removed}});
  return code;
}

}  // namespace belljar::cli
