#include "agents/json_merge.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace belljar::agents {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMost = 16U << 20;
constexpr int kDeepest = 64;  // printing goes down by recursion

/// Nothing for what is no JSON or too deep.
std::optional<Json> parse(std::string_view text) {
  if (text.size() > kMost) return {};
  bool deep = false;
  auto watch = [&deep](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    deep = deep || depth > kDeepest;
    return !deep;
  };
  auto value = Json::parse(text, watch, false);
  if (deep || !value.is_object()) return {};
  return value;
}

/// Down to the depth of `wanted`, which is ours. Whether anything was added.
bool add(Json& present, const Json& wanted) {
  bool changed = false;
  for (const auto& [key, value] : wanted.items()) {
    auto found = present.find(key);
    if (found == present.end() || found->is_null()) {
      present[key] = value;
      changed = true;
    } else if (found->is_object() && value.is_object()) {
      changed = add(*found, value) || changed;
    } else if (found->is_array() && value.is_array()) {
      for (const auto& element : value) {
        if (std::find(found->begin(), found->end(), element) != found->end()) continue;
        found->push_back(element);
        changed = true;
      }
    }
  }
  return changed;
}

}  // namespace

std::optional<std::string> merge_json(std::string_view present, std::string_view wanted) {
  auto into = parse(present);
  auto from = parse(wanted);
  if (!into || !from || !add(*into, *from)) return {};
  return into->dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace belljar::agents
