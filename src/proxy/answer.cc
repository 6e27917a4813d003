#include "proxy/answer.h"

#include <fmt/core.h>

#include "http/writer.h"

namespace belljar::proxy {

namespace {

constexpr std::size_t kMaxLine = 1024;

/// A text as a JSON string; what is not ASCII is passed as it is (our own words are UTF-8).
std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (char character : text) {
    auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      out += '\\';
      out += character;
    } else if (byte < 0x20) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += character;
    }
  }
  return out += '"';
}

}  // namespace

std::string header_line(std::string_view text) {
  std::string line;
  for (char character : text.substr(0, kMaxLine))
    line += character >= 0x20 && character < 0x7f ? character : '?';
  while (!line.empty() && line.back() == ' ')
    line.pop_back();
  return line;
}

Result<void> write_refusal(io::Writer& client, const gateway::Refusal& refusal, std::string_view method,
                           bool keep_alive) {
  auto body = "{\"error\":" + json_string("belljar: " + refusal.reason);
  if (!refusal.how.empty()) body += ",\"how\":" + json_string(refusal.how);
  body += "}\n";
  http::Response response;
  response.status = refusal.status;
  response.reason = http::reason_phrase(refusal.status);
  response.headers.add("content-type", "application/json");
  response.headers.add("cache-control", "no-store");
  auto line = refusal.how.empty() ? refusal.reason : refusal.reason + "; " + refusal.how;
  response.headers.add("x-belljar", header_line(line));
  response.keep_alive = keep_alive;
  if (method == "HEAD")
    response.announced_length = body.size();
  else
    response.framing = {.kind = http::BodyKind::length, .length = body.size()};
  auto whole = http::serialise(response);
  if (method != "HEAD") whole += body;
  TRY(io::write_text(client, whole));
  return client.flush();
}

}  // namespace belljar::proxy
