// Between HTTP/1.1 messages (http/message.h) and the heads of an exchange: what is passed on and what is not.
#pragma once

#include "gateway/exchange.h"
#include "http/message.h"

namespace belljar::gateway {

/// Drops every field that belongs to one connection (is_of_connection) and what Connection names
/// (http::remove_hop_by_hop).
void remove_connection_fields(http::Headers& headers);

/// The head of a request that came from a jar for this scheme, host and port (the door's, checked against the
/// request's own authority by the caller). `malformed` where check() says so.
Result<RequestHead> request_head(http::Request request, policy::Scheme scheme, std::string_view host,
                                 std::uint16_t port);
/// What is sent to the server: Host from the canonical authority.
http::Request upstream_request(const RequestHead& head);

/// The head of an answer that came from a server; `method` of the request it answers.
Result<ResponseHead> response_head(http::Response response, std::string_view method);
/// What is sent to the jar. A streamed body is chunked, or lasts until the close where the jar spoke
/// HTTP/1.0.
http::Response downstream_response(const ResponseHead& head, std::string_view method, int minor_version);

}  // namespace belljar::gateway
