// What a login needs of an agent's JSON file that is there already: added without taking anything away.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belljar::agents {

/// `present`, of whatever bytes a jar has written, with what `wanted` says beyond it: keys that are absent or
/// null, and elements that its lists lack. What is there stays, also where it contradicts. Nothing where that
/// changes nothing, or where `present` is no JSON object, is nested deeper than 64 or longer than 16 MiB.
std::optional<std::string> merge_json(std::string_view present, std::string_view wanted);

}  // namespace belljar::agents
