// `belljar log`: the ledger for people and for programs.
#include <chrono>
#include <ctime>
#include <thread>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/commands.h"
#include "keeper/jars.h"
#include "ledger/json.h"
#include "ledger/store.h"

namespace belljar::cli {

namespace {

constexpr auto kFollowPause = std::chrono::milliseconds(200);

std::string local_time(std::int64_t microseconds) {
  std::time_t seconds = microseconds / 1'000'000;
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return fmt::format("{}.{:03}", text, microseconds / 1000 % 1000);
}

std::string place_of(const ledger::Event& event) {
  if (event.host.empty()) return "";
  std::string place = event.scheme.empty() ? event.host : event.scheme + "://" + event.host;
  if (event.port != 0 && event.port != 443) place += fmt::format(":{}", event.port);
  return place + event.path;
}

/// One line: when, which jar, what, where, why.
std::string line_of(const ledger::Row& row) {
  const auto& event = row.event;
  std::string line = fmt::format("{}  {:<12} {:<10} {:<5}", local_time(row.time), row.jar,
                                 ledger::name_of(event.kind), event.verdict);
  for (const auto& part : {event.method, place_of(event), event.reason})
    if (!part.empty()) line += " " + part;
  if (event.status != 0)
    line += fmt::format(" {} ({} bytes out, {} in)", event.status, event.bytes_out, event.bytes_in);
  if (!event.origin.empty()) line += " [" + event.origin + "]";
  return line;
}

void print(const std::vector<ledger::Row>& rows, bool json) {
  for (const auto& row : rows)
    fmt::print("{}\n", json ? ledger::to_json(row) : line_of(row));
  std::fflush(stdout);
}

Result<int> verify(ledger::Store& store, bool json) {
  auto result = TRY(store.verify());
  if (json) {
    fmt::print("{}\n", ledger::to_json(result));
    return result.fault ? 1 : 0;
  }
  if (result.fault) {
    fmt::print("row {}: {}\n{} rows before it are right\n", result.fault->sequence, result.fault->what,
               result.rows);
    return 1;
  }
  fmt::print("{} rows, the chain is whole\n", result.rows);
  return 0;
}

Result<int> follow(ledger::Store& store, ledger::Filter filter, bool json) {
  while (true) {
    auto rows = TRY(store.list(filter));
    print(rows, json);
    if (!rows.empty()) filter.after = rows.back().sequence;
    filter.limit = 10'000;
    std::this_thread::sleep_for(kFollowPause);
  }
}

}  // namespace

namespace {

/// A jar that is gone can have left a record; a name that neither has is a slip of the hand.
Result<void> check_known(ledger::Store* store, const std::string& jar,
                         const keeper::Directories& directories) {
  if (jar.empty()) return {};
  if (store != nullptr && !TRY(store->list({.jar = jar, .limit = 1})).empty()) return {};
  auto jars = TRY(keeper::Jars::open(directories.jars()));
  (void)TRY(jars.find(jar));
  return {};
}

}  // namespace

Result<int> run_command(const Log& command, const keeper::Directories& directories) {
  auto store = TRY(ledger::Store::open_existing(directories.ledger())
                       .hint("belljar doctor   (says what mends the ledger)"));
  TRY(check_known(store ? &*store : nullptr, command.jar, directories));
  if (!store) {
    if (!command.json) fmt::print("nothing is recorded yet\n");
    return 0;
  }
  if (command.verify) return verify(*store, command.json);
  ledger::Filter filter{.limit = command.limit};
  if (!command.jar.empty()) filter.jar = command.jar;
  if (command.follow) return follow(*store, filter, command.json);
  print(TRY(store->list(filter)), command.json);
  return 0;
}

}  // namespace belljar::cli
