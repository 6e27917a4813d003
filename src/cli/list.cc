#include <ctime>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/table.h"
#include "keeper/jars.h"
#include "ledger/printable.h"

namespace belljar::cli {

namespace {

/// A path that a jar may have chosen, safe for a terminal.
std::string shown(const std::string& text) { return ledger::make_printable(text, 4096); }

std::string_view state_of(const keeper::JarRecord& record) {
  if (record.damaged) return "damaged";
  return record.running ? "running" : "stopped";
}

/// "3 min", "5 h", "12 d": how long ago.
std::string ago(std::int64_t seconds) {
  auto age = std::max<std::int64_t>(0, std::time(nullptr) - seconds);
  if (seconds == 0) return "-";
  if (age < 120) return fmt::format("{} s", age);
  if (age < 7200) return fmt::format("{} min", age / 60);
  if (age < 172800) return fmt::format("{} h", age / 3600);
  return fmt::format("{} d", age / 86400);
}

void print_records(const std::vector<keeper::JarRecord>& records) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& record : records)
    list.push_back({{"name", record.name},
                    {"state", state_of(record)},
                    {"agent", record.agent},
                    {"workspace", record.workspace},
                    {"created", record.created},
                    {"started", record.started}});
  print_json(list);
}

}  // namespace

Result<int> run_command(const List& command, const keeper::Directories& directories) {
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  auto records = TRY(jars.list());
  if (command.json) {
    print_records(records);
    return 0;
  }
  if (command.names) {
    for (const auto& record : records)
      fmt::print("{}\n", record.name);
    return 0;
  }
  if (records.empty()) {
    fmt::print("no jars yet; start one in a project's directory: belljar claude\n");
    return 0;
  }
  Table table({"JAR", "STATE", "AGENT", "STARTED", "WORKSPACE"});
  for (const auto& record : records)
    table.add({record.name, std::string(state_of(record)), record.agent.empty() ? "-" : record.agent,
               ago(record.started) + " ago", shown(record.workspace.empty() ? "-" : record.workspace)});
  fmt::print("{}", table.to_string());
  return 0;
}

Result<int> run_command(const Remove& command, const keeper::Directories& directories) {
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  for (const auto& name : command.jars) {
    TRY(jars.remove(name));
    if (!command.json) fmt::print("removed jar {}\n", name);
  }
  if (command.json) print_json({{"removed", command.jars}});
  return 0;
}

}  // namespace belljar::cli
