// What commands print for programs.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace belljar::cli {

/// One value and a line break, in ASCII: a terminal obeys none of it. Bytes that are no UTF-8 are replaced.
void print_json(const nlohmann::ordered_json& value);
/// The same on one line, as a text.
std::string json_line(const nlohmann::ordered_json& value);

}  // namespace belljar::cli
