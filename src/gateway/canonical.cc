#include "gateway/canonical.h"

#include <array>
#include <vector>

#include <sys/random.h>

namespace belljar::gateway {

namespace {

std::string new_exchange() {
  std::array<std::uint8_t, 8> random{};
  CHECK(::getrandom(random.data(), random.size(), 0) == static_cast<ssize_t>(random.size()));
  return to_hex(random);
}

BodySize body_size(http::Framing framing) {
  switch (framing.kind) {
    case http::BodyKind::none:
      return {};
    case http::BodyKind::length:
      return {.kind = BodySize::Kind::sized, .length = framing.length};
    case http::BodyKind::chunked:
    case http::BodyKind::until_close:
      return {.kind = BodySize::Kind::streamed, .length = 0};
  }
  return {};
}

/// Whether an answer with this status has no body whatever its fields say (RFC 9112 6.3).
bool is_bodiless(int status) { return status == 204 || status == 304; }

}  // namespace

void remove_connection_fields(http::Headers& headers) {
  http::remove_hop_by_hop(headers);
  std::vector<std::string> names;
  for (const auto& field : headers)
    if (is_of_connection(field.name)) names.push_back(field.name);
  for (const auto& name : names)
    headers.remove(name);
}

Result<RequestHead> request_head(http::Request request, policy::Scheme scheme, std::string_view host,
                                 std::uint16_t port) {
  RequestHead head;
  head.exchange = new_exchange();
  head.scheme = scheme;
  head.host = host;
  head.port = port;
  head.method = std::move(request.method);
  head.path = std::move(request.path);
  head.query = std::move(request.query);
  head.headers = std::move(request.headers);
  remove_connection_fields(head.headers);
  head.body = body_size(request.framing);
  TRY(check(head));
  return head;
}

http::Request upstream_request(const RequestHead& head) {
  http::Request request;
  request.method = head.method;
  request.host = head.host;
  if (head.port != policy::default_port(head.scheme)) request.port = head.port;
  request.path = head.path;
  request.query = head.query;
  request.headers = head.headers;
  if (head.body.kind == BodySize::Kind::sized)
    request.framing = {.kind = http::BodyKind::length, .length = head.body.length};
  else if (head.body.kind == BodySize::Kind::streamed)
    request.framing = {.kind = http::BodyKind::chunked, .length = 0};
  return request;
}

Result<ResponseHead> response_head(http::Response response, std::string_view method) {
  ResponseHead head;
  head.status = static_cast<std::uint16_t>(response.status);
  head.headers = std::move(response.headers);
  remove_connection_fields(head.headers);
  if (method == "HEAD" || is_bodiless(response.status)) {
    if (response.announced_length && response.status != 204)
      head.body = {.kind = BodySize::Kind::announced, .length = *response.announced_length};
  } else {
    head.body = body_size(response.framing);
  }
  TRY(check(head));
  return head;
}

http::Response downstream_response(const ResponseHead& head, std::string_view method, int minor_version) {
  http::Response response;
  response.status = head.status;
  response.reason = http::reason_phrase(head.status);
  response.headers = head.headers;
  switch (head.body.kind) {
    case BodySize::Kind::none:
      // Without a length a client would wait for the close.
      if (method != "HEAD" && !is_bodiless(head.status))
        response.framing = {.kind = http::BodyKind::length, .length = 0};
      break;
    case BodySize::Kind::sized:
      response.framing = {.kind = http::BodyKind::length, .length = head.body.length};
      break;
    case BodySize::Kind::announced:
      response.announced_length = head.body.length;
      break;
    case BodySize::Kind::streamed:
      if (minor_version >= 1) {
        response.framing = {.kind = http::BodyKind::chunked, .length = 0};
      } else {
        response.framing = {.kind = http::BodyKind::until_close, .length = 0};
        response.keep_alive = false;
      }
      break;
  }
  return response;
}

}  // namespace belljar::gateway
