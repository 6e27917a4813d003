// What a jar left when it ended with nobody there to be told (keeper/last_end.h), told to whoever asks for it
// next.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "daemon/known_jar.h"

namespace belljar::cli {

/// All of it, as the command that started the jar would have said it.
void tell_last_end(const std::string& jar_directory);
/// One line a jar that has left something.
void tell_last_ends(const std::vector<daemon::KnownJar>& known, const std::string& jars);
/// Null where nothing is kept.
nlohmann::ordered_json last_end_json(const std::string& jar_directory);

/// What holds each limit of a running jar.
nlohmann::ordered_json limits_json(const std::vector<jar::LimitState>& limits);

}  // namespace belljar::cli
