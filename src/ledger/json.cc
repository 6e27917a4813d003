#include "ledger/json.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <time.h>

namespace belljar::ledger {

namespace {

using Json = nlohmann::ordered_json;

void add(Json& object, const char* name, const std::string& value) {
  if (!value.empty()) object[name] = value;
}

void add(Json& object, const char* name, std::uint64_t value) {
  if (value != 0) object[name] = value;
}

// Printable UTF-8 already, and ASCII here; with the replacing handler dump() never throws.
std::string dump(const Json& object) { return object.dump(-1, ' ', true, Json::error_handler_t::replace); }

}  // namespace

std::string format_time(std::int64_t microseconds) {
  auto seconds = static_cast<time_t>(microseconds / 1'000'000);
  auto rest = microseconds % 1'000'000;
  if (rest < 0) {
    rest += 1'000'000;
    --seconds;
  }
  tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return "?";
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, rest);
}

std::string to_json(const Row& row) {
  const auto& event = row.event;
  Json object;
  object["sequence"] = row.sequence;
  object["time"] = format_time(row.time);
  add(object, "jar", row.jar);
  object["source"] = row.source;
  object["kind"] = name_of(event.kind);
  add(object, "verdict", event.verdict);
  add(object, "exchange", event.exchange);
  add(object, "scheme", event.scheme);
  add(object, "host", event.host);
  add(object, "port", event.port);
  add(object, "method", event.method);
  add(object, "path", event.path);
  add(object, "reason", event.reason);
  add(object, "rule", event.origin);
  add(object, "status", event.status);
  if (event.kind == Kind::response || event.bytes_out != 0 || event.bytes_in != 0) {
    object["bytes_out"] = event.bytes_out;
    object["bytes_in"] = event.bytes_in;
  }
  return dump(object);
}

std::string to_json(const Verification& verification) {
  Json object;
  object["whole"] = !verification.fault.has_value();
  object["rows"] = verification.rows;
  if (verification.fault) {
    object["first_fault"] = verification.fault->sequence;
    object["what"] = verification.fault->what;
  }
  return dump(object);
}

}  // namespace belljar::ledger
