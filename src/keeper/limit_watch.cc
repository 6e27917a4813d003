// The part of Keeper that holds the limits which no kernel holds: wall time and disk.
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "keeper/keeper.h"
#include "keeper/limits.h"
#include "rt/loop.h"

namespace belljar::keeper {

/// Before anything of the jar runs: what is on the disk then is not its own.
Result<void> Keeper::watch_limits() {
  if (plan_.spec.limits.wall) watch("the wall time", [this] { return watch_wall_time(); });
  if (!plan_.spec.limits.disk) return {};
  TRY(begin_disk_watch());
  watch("the disk", [this] { return watch_disk(); });
  return {};
}

Result<void> Keeper::watch_wall_time() {
  TRY(rt::sleep(std::chrono::seconds(*plan_.spec.limits.wall)));
  outcome_.reasons.push_back(wall_time_is_over(*plan_.spec.limits.wall));
  note(outcome_.reasons.back());
  stop(kGrace);
  return {};
}

/// A jar whose limit can't be held doesn't start.
Result<void> Keeper::begin_disk_watch() {
  DiskPlaces places;
  places.own = {plan_.spec.state_directory + "/home", plan_.spec.state_directory + "/root"};
  for (const auto& place : {plan_.spec.workspace, jar_->report().git_directory})
    if (!place.empty()) places.growing.push_back(place);
  places.first = jar_->first_process();
  if (::geteuid() != 0)
    places.users = TRY(os::open_file(fmt::format("/proc/{}/ns/user", places.first), O_RDONLY));
  disk_.emplace(std::move(places), *plan_.spec.limits.disk);
  auto begun = disk_->begin([this] { return interrupted_ != 0; });
  if (begun || begun.error().code() == ErrorCode::cancelled) return begun;
  return std::move(begun)
      .error()
      .context("measuring what the workspace takes before the jar adds to it")
      .with_hint("start it without a limit of disk");
}

/// Nothing that a jar holds is lost by a pause, other than by its end.
Result<void> Keeper::watch_disk() {
  const auto limit = *plan_.spec.limits.disk;
  auto trouble = [&](const Error& error) {
    auto told = "the jar's disk could not be measured, which is tried again: " + error.to_string();
    note(told);
    tell(told);
  };
  while (true) {
    auto taken = disk_->await_excess(trouble);
    if (!taken && taken.error().code() == ErrorCode::cancelled) return std::move(taken).error();
    TRY(hold_still(taken ? disk_is_full(*taken, limit)
                         : disk_is_not_measured(taken.error().to_string(), limit)));
    while (paused_)
      TRY(rt::sleep(std::chrono::seconds(1)));
    constexpr auto kToMakeRoom = std::chrono::seconds(60);
    TRY(rt::sleep(kToMakeRoom));
  }
}

/// Pauses the jar; one that can't be paused is ended, so that it goes on in no case.
Result<void> Keeper::hold_still(const std::string& reason) {
  if (auto paused = pause(); !paused) {
    outcome_.reasons.push_back(ended_because(reason, paused.error().to_string()));
    note(outcome_.reasons.back());
    tell(outcome_.reasons.back());
    stop(kGrace);
    return {};
  }
  why_paused_ = paused_because(reason, plan_.spec.name);
  note(why_paused_);
  tell(why_paused_);
  return {};
}

void Keeper::tell_of_memory() {
  auto killed = jar_->out_of_memory();
  if (killed == 0) return;
  outcome_.reasons.push_back(out_of_memory(killed, plan_.spec.limits));
  note(outcome_.reasons.back());
}

}  // namespace belljar::keeper
