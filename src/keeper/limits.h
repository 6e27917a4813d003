// The limits of a jar in words: what a person is told when one has struck, and what holds each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jar/jar_spec.h"

namespace belljar::keeper {

std::string wall_time_is_over(std::uint64_t seconds);
/// These two are reasons, for the following two to tell.
std::string disk_is_full(std::uint64_t taken, std::uint64_t limit);
std::string disk_is_not_measured(const std::string& why, std::uint64_t limit);
std::string paused_because(const std::string& reason, const std::string& jar);
std::string ended_because(const std::string& reason, const std::string& why_not_paused);
std::string out_of_memory(std::uint64_t killed, const jar::Limits& limits);

/// Those that the backend reports, and those that are the keeper's to hold.
std::vector<jar::LimitState> limit_states(const jar::Limits& limits, const jar::RunningJar& jar);
/// What the keeper does for the limits of wall time and disk, for doctor.
std::vector<jar::LimitState> keepers_limits(const jar::Limits& limits);

}  // namespace belljar::keeper
