#include "keeper/last_end.h"

#include <algorithm>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "ledger/printable.h"
#include "os/fd.h"

namespace belljar::keeper {

namespace {

constexpr std::size_t kMaxFile = 4U << 20;
/// A jar chose the paths: all of them together stay within what is read again.
constexpr std::size_t kMostOfText = 1024;

std::string file_in(const std::string& jar_directory) { return jar_directory + "/last-end.json"; }

std::string text_of(const nlohmann::json& json, const char* key) {
  return json.is_object() && json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
}

std::int64_t number_of(const nlohmann::json& json, const char* key) {
  return json.contains(key) && json[key].is_number_integer() ? json[key].get<std::int64_t>() : 0;
}

nlohmann::json list_of(const nlohmann::json& json, const char* key) {
  return json.contains(key) && json[key].is_array() ? json[key] : nlohmann::json::array();
}

}  // namespace

Result<void> write_last_end(const std::string& jar_directory, const LastEnd& end) {
  nlohmann::json json = {{"version", 1},
                         {"ended", end.ended},
                         {"exit_code", end.exit_code},
                         {"reasons", end.reasons},
                         {"all_traps", end.all_traps}};
  auto traps = nlohmann::json::array();
  for (std::size_t n = 0; n < std::min(end.traps.size(), kMostKeptTraps); ++n)
    traps.push_back({{"path", ledger::make_printable(end.traps[n].path, kMostOfText)},
                     {"why", ledger::make_printable(end.traps[n].why, kMostOfText)}});
  json["traps"] = std::move(traps);
  auto text = json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return os::replace_file(file_in(jar_directory), text, 0600);
}

std::optional<LastEnd> read_last_end(const std::string& jar_directory) {
  auto text = os::read_file(file_in(jar_directory), kMaxFile);
  if (!text) return std::nullopt;
  auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object())
    return LastEnd{.reasons = {"how it ended can't be told, as " + file_in(jar_directory) +
                               " is damaged; belljar log has the record"}};
  LastEnd end{.ended = number_of(json, "ended"), .exit_code = static_cast<int>(number_of(json, "exit_code"))};
  for (const auto& reason : list_of(json, "reasons"))
    if (reason.is_string()) end.reasons.push_back(reason.get<std::string>());
  for (const auto& trap : list_of(json, "traps"))
    end.traps.push_back({.path = text_of(trap, "path"), .why = text_of(trap, "why")});
  end.all_traps = std::max<std::uint64_t>(
      end.traps.size(), static_cast<std::uint64_t>(std::max<std::int64_t>(number_of(json, "all_traps"), 0)));
  return end;
}

void forget_last_end(const std::string& jar_directory) { ::unlink(file_in(jar_directory).c_str()); }

}  // namespace belljar::keeper
