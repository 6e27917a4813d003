#include "cli/json.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace belljar::cli {

void print_json(const nlohmann::ordered_json& value) {
  fmt::print("{}\n", value.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
}

std::string json_line(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace belljar::cli
