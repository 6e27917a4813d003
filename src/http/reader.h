// Reading HTTP/1.1 heads, strictly: what two parsers could understand differently is refused. RFC 9112.
//
// Nothing is repaired: CRLF only, no folding, no space before a colon, one Host, one framing. Empty lines
// before a request line are the one leniency (RFC 9112 section 2.2), bounded to two.
#pragma once

#include <variant>

#include "http/message.h"
#include "io/buffered.h"

namespace belljar::http {

struct Limits {
  std::size_t start_line = 16U << 10;  ///< bytes; 414 beyond for a request target
  std::size_t head = 64U << 10;        ///< bytes of all header lines; 431 beyond
  std::size_t headers = 200;           ///< fields; 431 beyond
  std::size_t chunk_line = 4U << 10;   ///< bytes of a chunk-size line with its extensions
  std::size_t trailers = 8U << 10;     ///< bytes of the trailer section
};

/// The next request head. The reader's own limit must exceed start_line + head (use kReaderLimit). Values: a
/// request; a refusal to answer and then close; the end of the connection. Errors: of the source; `closed`
/// when it ends within a head.
using RequestOutcome = std::variant<Request, Refusal, Ended>;
Result<RequestOutcome> read_request_head(io::BufferedReader& reader, const Limits& limits = {});

/// The next response head to a request with this method, interim ones (1xx) included: see is_interim.
/// Errors: `malformed` where a request would be refused, `closed` when the connection ends before or within,
/// and those of the source.
Result<Response> read_response_head(io::BufferedReader& reader, std::string_view request_method,
                                    const Limits& limits = {});

/// What to give BufferedReader as its limit.
inline constexpr std::size_t kReaderLimit = 128U << 10;

}  // namespace belljar::http
