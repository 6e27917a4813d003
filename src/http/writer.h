// Writing HTTP/1.1 heads from their canonical form. RFC 9112.
#pragma once

#include "http/message.h"
#include "io/stream.h"

namespace belljar::http {

/// The head as sent: start line, Host, headers, framing, "connection: close" unless keep_alive. Panics on
/// what the reader would never have produced (control characters, a method that is no token): such a head is
/// a bug of ours.
std::string serialise(const Request& request);
std::string serialise(const Response& response);

/// Serialised and written; flushed only where no body follows, so that head and first bytes share a packet.
Result<void> write_head(io::Writer& writer, const Request& request);
Result<void> write_head(io::Writer& writer, const Response& response);
/// "HTTP/1.1 100 Continue", flushed.
Result<void> write_continue(io::Writer& writer);

}  // namespace belljar::http
