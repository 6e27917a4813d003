#include "cli/last_end.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "keeper/last_end.h"
#include "keeper/tell.h"
#include "ledger/printable.h"

namespace belljar::cli {

namespace {

constexpr std::size_t kTold = 20;
constexpr std::size_t kMaxText = 4096;

}  // namespace

void tell_last_end(const std::string& jar_directory) {
  auto end = keeper::read_last_end(jar_directory);
  if (!end) return;
  for (const auto& reason : end->reasons)
    keeper::tell(reason);
  if (end->traps.empty()) return;
  keeper::tell(
      "when it ended, the jar left files that tools on this host would run; look before you use them:");
  for (std::size_t n = 0; n < end->traps.size() && n < kTold; ++n)
    keeper::tell_more(fmt::format("{}: {}", end->traps[n].path, end->traps[n].why));
  if (end->all_traps > kTold)
    keeper::tell_more(fmt::format("… and {} more (belljar log)", end->all_traps - kTold));
}

void tell_last_ends(const std::vector<daemon::KnownJar>& known, const std::string& jars) {
  for (const auto& record : known) {
    if (record.running) continue;
    auto end = keeper::read_last_end(jars + "/" + record.name);
    if (!end) continue;
    for (const auto& reason : end->reasons)
      keeper::tell(fmt::format("{}: {}", record.name, reason));
    if (!end->traps.empty())
      keeper::tell(fmt::format(
          "{}: left {} that tools on this host would run: belljar attach {} lists them", record.name,
          end->all_traps == 1 ? "a file" : fmt::format("{} files", end->all_traps), record.name));
  }
}

nlohmann::ordered_json limits_json(const std::vector<jar::LimitState>& limits) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& [name, asked, enforced, how] : limits)
    list.push_back({{"name", name}, {"asked", asked}, {"enforced", enforced}, {"how", how}});
  return list;
}

nlohmann::ordered_json last_end_json(const std::string& jar_directory) {
  auto end = keeper::read_last_end(jar_directory);
  if (!end) return nullptr;
  auto traps = nlohmann::ordered_json::array();
  for (const auto& trap : end->traps)
    traps.push_back({{"path", ledger::make_printable(trap.path, kMaxText)}, {"why", trap.why}});
  return {{"ended", end->ended},
          {"exit_code", end->exit_code},
          {"reasons", end->reasons},
          {"traps", std::move(traps)},
          {"all_traps", end->all_traps}};
}

}  // namespace belljar::cli
