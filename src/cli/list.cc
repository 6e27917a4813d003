// `belljar ls` and `ps`: the jars on disk, with what the keepers of those that run say about them.
#include <ctime>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/table.h"
#include "keeper/ask.h"
#include "keeper/jars.h"
#include "keeper/socket.h"
#include "ledger/printable.h"

namespace belljar::cli {

namespace {

constexpr int kPatience = 2000;  // ms for a keeper to answer

struct Listed {
  keeper::JarRecord record;
  std::string state;
  std::optional<keeper::answer::StatusReport> live;
};

/// A path that a jar may have chosen, safe for a terminal.
std::string shown(const std::string& text) { return ledger::make_printable(text, 4096); }

/// "3 min", "5 h", "12 d": how long ago.
std::string ago(std::int64_t seconds) {
  auto age = std::max<std::int64_t>(0, std::time(nullptr) - seconds);
  if (seconds == 0) return "-";
  if (age < 120) return fmt::format("{} s", age);
  if (age < 7200) return fmt::format("{} min", age / 60);
  if (age < 172800) return fmt::format("{} h", age / 3600);
  return fmt::format("{} d", age / 86400);
}

std::string cpu_time(std::uint64_t milliseconds) {
  constexpr std::uint64_t kMinute = 60'000;
  return milliseconds < kMinute
             ? fmt::format("{:.1f} s", static_cast<double>(milliseconds) / 1e3)
             : fmt::format("{}:{:02} min", milliseconds / kMinute, milliseconds % kMinute / 1000);
}

std::string memory_size(std::uint64_t bytes) {
  constexpr std::uint64_t kMebi = 1U << 20;
  return bytes < 10 * kMebi ? fmt::format("{:.1f} MiB", static_cast<double>(bytes) / kMebi)
                            : fmt::format("{} MiB", bytes / kMebi);
}

/// Asks all keepers before it waits for any.
std::vector<Listed> look_at(std::vector<keeper::JarRecord> records, const std::string& jars) {
  std::vector<Listed> all;
  std::vector<os::Fd> asked;
  for (auto& record : records) {
    auto directory = jars + "/" + record.name;
    auto socket = record.running ? keeper::open_request(directory, keeper::request::Status{})
                                 : Result<os::Fd>(os::Fd());
    asked.push_back(socket ? std::move(*socket) : os::Fd());
    // What a keeper leaves that was killed: its jar died with it.
    bool killed = !record.running && keeper::has_socket(directory);
    std::string state = record.damaged   ? "damaged"
                        : record.running ? "running"
                        : killed         ? "killed"
                                         : "stopped";
    all.push_back({.record = std::move(record), .state = std::move(state), .live = {}});
  }
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (!asked[n]) continue;
    auto answer = keeper::await_answer(asked[n].get(), kPatience);
    if (!answer) {
      all[n].state = answer.error().code() == ErrorCode::timed_out ? "not answering" : "ending";
    } else if (auto* report = std::get_if<keeper::answer::StatusReport>(&*answer)) {
      all[n].state = shown(report->state);
      all[n].live = std::move(*report);
    }
  }
  return all;
}

void print_records(const std::vector<Listed>& all) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& jar : all) {
    nlohmann::ordered_json one = {{"name", jar.record.name},       {"state", jar.state},
                                  {"agent", jar.record.agent},     {"workspace", jar.record.workspace},
                                  {"created", jar.record.created}, {"started", jar.record.started}};
    if (const auto& live = jar.live)
      one.update({{"command", live->command},
                  {"keeper", live->keeper},
                  {"attached", live->attached},
                  {"terminal", live->terminal},
                  {"processes", live->processes},
                  {"cpu_ms", live->cpu_milliseconds},
                  {"memory", live->memory},
                  {"own_memory", live->own_memory},
                  {"gateway", live->gateway},
                  {"gateway_restarts", live->restarts}});
    list.push_back(std::move(one));
  }
  print_json(list);
}

void print_table(const std::vector<Listed>& all) {
  Table table({"JAR", "STATE", "AGENT", "STARTED", "CPU", "MEMORY", "ATTACHED", "WORKSPACE"});
  for (const auto& [record, state, live] : all) {
    auto shown_state = live && live->gateway == "refused" ? state + ", sealed" : state;
    table.add({record.name, shown_state, record.agent.empty() ? "-" : record.agent,
               ago(record.started) + " ago", live ? cpu_time(live->cpu_milliseconds) : "-",
               live ? memory_size(live->memory) : "-", live ? std::to_string(live->attached) : "-",
               shown(record.workspace.empty() ? "-" : record.workspace)});
  }
  fmt::print("{}", table.to_string());
}

}  // namespace

Result<int> run_command(const List& command, const keeper::Directories& directories) {
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  auto records = TRY(jars.list());
  if (command.names) {
    for (const auto& record : records)
      fmt::print("{}\n", record.name);
    return 0;
  }
  if (command.running) std::erase_if(records, [](const auto& record) { return !record.running; });
  auto all = look_at(std::move(records), directories.jars());
  if (command.json)
    print_records(all);
  else if (all.empty())
    fmt::print("{}", command.running ? "no jar runs\n"
                                     : "no jars yet; start one in a project's directory: belljar claude\n");
  else
    print_table(all);
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
