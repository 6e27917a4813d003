#include "http/writer.h"

#include <algorithm>

#include "base/panic.h"

namespace belljar::http {
namespace {

void append_field(std::string& text, std::string_view name, std::string_view value) {
  CHECK(is_token(name) && is_field_value(value));
  text.append(name).append(": ").append(value).append("\r\n");
}

// The fields that the writer makes itself never come out of a message's own list.
bool is_ours(std::string_view name) {
  return name == "host" || name == "content-length" || name == "transfer-encoding";
}

void append_fields(std::string& text, const Headers& headers, bool keep_alive) {
  for (const Header& field : headers) {
    CHECK(!is_ours(field.name));
    append_field(text, field.name, field.value);
  }
  if (!keep_alive && !headers.lists("connection", "close")) append_field(text, "connection", "close");
}

void append_framing(std::string& text, const Framing& framing) {
  if (framing.kind == BodyKind::length) append_field(text, "content-length", std::to_string(framing.length));
  if (framing.kind == BodyKind::chunked) append_field(text, "transfer-encoding", "chunked");
}

Result<void> write(io::Writer& writer, const std::string& head, bool body_follows) {
  TRY(io::write_text(writer, head));
  if (body_follows) return {};
  return writer.flush();
}

bool has_body(const Framing& framing) {
  return framing.kind != BodyKind::none && !(framing.kind == BodyKind::length && framing.length == 0);
}

}  // namespace

std::string serialise(const Request& request) {
  const std::string target = request.target();
  CHECK(is_token(request.method) && !request.host.empty() && request.framing.kind != BodyKind::until_close);
  CHECK(!target.empty() &&
        std::all_of(target.begin(), target.end(), [](char c) { return c > 0x20 && c < 0x7F; }));
  std::string text = request.method + " " + target + " HTTP/1.1\r\n";
  append_field(text, "host", request.authority());
  append_fields(text, request.headers, request.keep_alive);
  append_framing(text, request.framing);
  if (request.expects_continue) append_field(text, "expect", "100-continue");
  return text.append("\r\n");
}

std::string serialise(const Response& response) {
  CHECK(response.status >= 100 && response.status <= 599 && is_field_value(response.reason));
  const bool bodiless = response.status < 200 || response.status == 204 || response.status == 304;
  CHECK(!bodiless || response.framing.kind == BodyKind::none);
  std::string text = "HTTP/1.1 " + std::to_string(response.status) + " " + response.reason + "\r\n";
  // The end of the connection is the end of the body: it can't be kept.
  const bool keep_alive = response.keep_alive && response.framing.kind != BodyKind::until_close;
  append_fields(text, response.headers, keep_alive);
  append_framing(text, response.framing);
  if (response.announced_length && response.framing.kind == BodyKind::none) {
    append_field(text, "content-length", std::to_string(*response.announced_length));
  }
  return text.append("\r\n");
}

Result<void> write_head(io::Writer& writer, const Request& request) {
  return write(writer, serialise(request), has_body(request.framing));
}

Result<void> write_head(io::Writer& writer, const Response& response) {
  return write(writer, serialise(response), has_body(response.framing));
}

Result<void> write_continue(io::Writer& writer) {
  return write(writer, "HTTP/1.1 100 Continue\r\n\r\n", false);
}

}  // namespace belljar::http
