#include <algorithm>

#include "http/head_parser.h"
#include "http/reader.h"

namespace belljar::http {
namespace {

// "HTTP/1.1 200 OK"; the space after the code may be missing with the phrase.
Result<void> parse_status_line(HeadParser& parser, std::string_view line, Response& response) {
  std::optional<int> version = parse_version(line.substr(0, 8));
  if (!version || *version < 0) return parser.refuse(502, "the answer is not HTTP/1.1");
  response.minor_version = *version;
  std::string_view rest = line.substr(8);
  const bool digits =
      rest.size() >= 4 && rest[0] == ' ' &&
      std::all_of(rest.begin() + 1, rest.begin() + 4, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || (rest.size() > 4 && rest[4] != ' '))
    return parser.refuse(502, "the answer has no status code");
  response.status = (rest[1] - '0') * 100 + (rest[2] - '0') * 10 + (rest[3] - '0');
  if (response.status < 100 || response.status > 599)
    return parser.refuse(502, "the answer's status is out of range");
  if (rest.size() > 5) response.reason = rest.substr(5);
  if (!is_field_value(response.reason)) return parser.refuse(502, "the reason phrase has control characters");
  return {};
}

bool never_has_body(int status, std::string_view method) {
  return method == "HEAD" || status < 200 || status == 204 || status == 304 ||
         (method == "CONNECT" && status < 300);
}

Result<Response> read(HeadParser& parser, std::string_view method) {
  std::optional<std::string> line = TRY(parser.read_start_line(502));
  if (!line) return Error(ErrorCode::closed, "the server closed the connection without an answer");
  Response response;
  TRY(parse_status_line(parser, *line, response));
  response.headers = TRY(parser.read_headers());
  Framing announced = TRY(parser.take_framing(response.headers, response.minor_version));
  response.keep_alive = persists(response.headers, response.minor_version);

  if (never_has_body(response.status, method)) {
    const bool may_announce = method == "HEAD" || response.status == 304;
    if (may_announce && announced.kind == BodyKind::length) response.announced_length = announced.length;
    // A server that announces a body where none can be may well send it: nothing more is read from it.
    if (!may_announce && (announced.kind == BodyKind::chunked || announced.length > 0))
      response.keep_alive = false;
    return response;
  }
  response.framing = announced;
  if (announced.kind == BodyKind::none) {
    response.framing.kind = BodyKind::until_close;
    response.keep_alive = false;
  }
  return response;
}

}  // namespace

Result<Response> read_response_head(io::BufferedReader& reader, std::string_view request_method,
                                    const Limits& limits) {
  HeadParser parser(reader, limits);
  return read(parser, request_method);
}

}  // namespace belljar::http
