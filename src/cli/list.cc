// `belljar ls` and `ps`: the jars there are, as belljard knows them, or as their keepers say where it can't
// be had.
#include <ctime>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/last_end.h"
#include "cli/table.h"
#include "daemon/client.h"
#include "keeper/jars.h"
#include "keeper/tell.h"
#include "keeper/worker.h"
#include "ledger/printable.h"

namespace belljar::cli {

namespace {

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

/// What is allowed and denied so far; "+" where the ledger is not counted to its end yet.
std::string requests(const daemon::KnownJar& jar) {
  if (!jar.requests) return "-";
  const char* more = jar.requests_complete ? "" : "+";
  if (jar.requests->denied == 0) return fmt::format("{}{}", jar.requests->allowed, more);
  return fmt::format("{}, {} denied{}", jar.requests->allowed, jar.requests->denied, more);
}

/// A listing never fails for belljard's sake.
Result<std::vector<daemon::KnownJar>> find_jars(const keeper::Directories& directories) {
  auto ask = [&directories]() -> Result<daemon::Listing> {
    return daemon::ask_for_jars(directories, TRY(keeper::find_libexec_directory()));
  };
  auto listing = ask();
  if (!listing) {
    keeper::tell("belljard can't be had, so each jar was asked by itself: " + listing.error().to_string());
    return daemon::look_at_jars(directories);
  }
  for (const auto& note : listing->notes)
    keeper::tell(shown(note));
  return std::move(listing->jars);
}

/// docs/formats/json.md; what is not known is null.
nlohmann::ordered_json record_of(const daemon::KnownJar& jar) {
  nlohmann::ordered_json one = {{"name", jar.name},       {"state", shown(jar.state)},
                                {"agent", jar.agent},     {"workspace", jar.workspace},
                                {"created", jar.created}, {"started", jar.started},
                                {"ended", nullptr},       {"exit_code", nullptr},
                                {"root", nullptr},        {"requests", nullptr}};
  if (jar.ended) one["ended"] = jar.ended->time;
  if (jar.ended && jar.ended->exit_code) one["exit_code"] = *jar.ended->exit_code;
  if (!jar.generation.empty()) one["root"] = shown(jar.generation);
  if (jar.requests)
    one["requests"] = {{"allowed", jar.requests->allowed},
                       {"denied", jar.requests->denied},
                       {"complete", jar.requests_complete}};
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
                {"gateway_restarts", live->restarts},
                {"out_of_memory", live->out_of_memory},
                {"why", live->why},
                {"limits", limits_json(live->limits)}});
  return one;
}

void print_records(const std::vector<daemon::KnownJar>& all, const std::string& jars) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& jar : all) {
    list.push_back(record_of(jar));
    if (!jar.running) list.back()["last_end"] = last_end_json(jars + "/" + jar.name);
  }
  print_json(list);
}

void print_table(const std::vector<daemon::KnownJar>& all) {
  Table table({"JAR", "STATE", "AGENT", "STARTED", "CPU", "MEMORY", "REQUESTS", "ATTACHED", "WORKSPACE"});
  for (const auto& jar : all) {
    const auto& live = jar.live;
    auto state = shown(jar.state) + (live && live->gateway == "refused" ? ", sealed" : "");
    table.add({jar.name, state, jar.agent.empty() ? "-" : jar.agent,
               jar.started == 0 ? "-" : ago(jar.started) + " ago",
               live ? cpu_time(live->cpu_milliseconds) : "-", live ? memory_size(live->memory) : "-",
               requests(jar), live ? std::to_string(live->attached) : "-",
               shown(jar.workspace.empty() ? "-" : jar.workspace)});
  }
  fmt::print("{}", table.to_string());
}

}  // namespace

Result<int> run_command(const List& command, const keeper::Directories& directories) {
  if (command.names) {  // for completions: not worth a daemon
    auto jars = TRY(keeper::Jars::open(directories.jars()));
    for (const auto& record : TRY(jars.list()))
      fmt::print("{}\n", record.name);
    return 0;
  }
  auto all = TRY(find_jars(directories));
  if (command.running) std::erase_if(all, [](const auto& jar) { return !jar.running; });
  if (command.json)
    print_records(all, directories.jars());
  else if (all.empty())
    fmt::print("{}", command.running ? "no jar runs\n"
                                     : "no jars yet; start one in a project's directory: belljar claude\n");
  else
    print_table(all);
  if (!command.json && !command.running) tell_last_ends(all, directories.jars());
  return 0;
}

}  // namespace belljar::cli
