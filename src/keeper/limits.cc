#include "keeper/limits.h"

#include <fmt/format.h>

#include "config/config.h"

namespace belljar::keeper {

namespace {

std::string time_text(std::uint64_t seconds) {
  return config::format_duration(static_cast<std::int64_t>(seconds));
}

std::string mebibytes(std::uint64_t bytes) { return fmt::format("{} MiB", bytes >> 20); }

}  // namespace

std::string wall_time_is_over(std::uint64_t seconds) {
  return fmt::format("the jar was ended because it had run for {}, its limit of wall time",
                     time_text(seconds));
}

std::string disk_is_full(std::uint64_t taken, std::uint64_t limit) {
  return fmt::format("it has added {} to the disk, and its limit is {}", mebibytes(taken),
                     config::format_size(limit));
}

std::string disk_is_not_measured(const std::string& why, std::uint64_t limit) {
  return fmt::format("what it adds to the disk can't be measured, and its limit is {}: {}",
                     config::format_size(limit), why);
}

std::string paused_because(const std::string& reason, const std::string& jar) {
  return fmt::format("the jar was paused because {}: make room, then belljar resume {}", reason, jar);
}

std::string ended_because(const std::string& reason, const std::string& why_not_paused) {
  return fmt::format("the jar was ended because {}; it could not be paused: {}", reason, why_not_paused);
}

std::string out_of_memory(std::uint64_t killed, const jar::Limits& limits) {
  auto limit = limits.memory ? " of " + config::format_size(*limits.memory) : std::string();
  return fmt::format("the jar ran out of memory: the kernel ended {} of its processes for the limit{}",
                     killed, limit);
}

std::vector<jar::LimitState> keepers_limits(const jar::Limits& limits) {
  std::vector<jar::LimitState> states;
  if (limits.wall)
    states.push_back({"wall", time_text(*limits.wall), true, "the keeper, which ends the jar"});
  if (limits.disk)
    states.push_back({"disk", config::format_size(*limits.disk), false,
                      "no kernel holds it: measured each minute, and when the file system has lost that much "
                      "room; then the keeper pauses the jar"});
  return states;
}

std::vector<jar::LimitState> limit_states(const jar::Limits& limits, const jar::RunningJar& jar) {
  auto states = jar.report().limits;
  for (auto& state : keepers_limits(limits))
    states.push_back(std::move(state));
  return states;
}

}  // namespace belljar::keeper
