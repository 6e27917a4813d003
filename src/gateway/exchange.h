// Exchange: one request and its answer as frames, between the processes of the gateway.
//
// A link is a stream between two of them that carries exchanges one after another. The requesting side sends
// RequestHead, Body…, End; the answering side ResponseHead, Body…, End, or Refusal instead of all that, or
// Abort in the middle of it. Nothing of the raw bytes that a jar or a server sent is in a frame: heads are
// canonical values that each receiver checks again (check()), bodies are bare content without framing.
//
// On the wire a frame is one byte of type, a 32-bit big-endian length and the payload (wire/codec.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/bytes.h"
#include "base/result.h"
#include "http/headers.h"
#include "policy/policy.h"

namespace belljar::gateway {

inline constexpr std::size_t kMaxChunk = 16U << 10;   ///< bytes of one Body frame: one TLS record
inline constexpr std::size_t kMaxHead = 256U << 10;   ///< encoded bytes of a head
inline constexpr std::size_t kMaxHeaders = 256;       ///< fields of a head
inline constexpr std::size_t kMaxTarget = 64U << 10;  ///< bytes of path and query together
inline constexpr std::size_t kMaxReason = 4U << 10;   ///< bytes of each text of a refusal

/// How much body follows a head. Its framing on each side is that side's own business.
struct BodySize {
  enum class Kind : std::uint8_t {
    none,       ///< no Body frame, and nothing said about a length
    sized,      ///< Body frames add up to exactly `length`
    streamed,   ///< Body frames until End
    announced,  ///< no Body frame; `length` is what the body would have had (answers to HEAD, 304)
  };
  Kind kind = Kind::none;
  std::uint64_t length = 0;  ///< bytes; 0 unless sized or announced
  bool operator==(const BodySize&) const = default;
};

/// A request in canonical form. `headers` has no hop-by-hop field, no Host and no framing field (RFC
/// 9110 7.6.1).
struct RequestHead {
  std::string exchange;  ///< 16 lower-case hex digits, the same in every event of this exchange
  policy::Scheme scheme = policy::Scheme::https;
  std::string host;  ///< policy::canonical_host
  std::uint16_t port = 443;
  std::string method;                ///< token, in the case it was sent in
  std::string path;                  ///< as sent, without the query: begins with "/" and can be normalised
  std::optional<std::string> query;  ///< after the "?"; an empty one stays an empty one
  http::Headers headers;
  BodySize body;
  bool operator==(const RequestHead&) const = default;
};

/// A response in canonical form; final (status 200–599), interim ones are not carried.
struct ResponseHead {
  std::uint16_t status = 200;
  http::Headers headers;
  BodySize body;
  bool operator==(const ResponseHead&) const = default;
};

struct Body {
  Bytes bytes;  ///< 1 to kMaxChunk
  bool operator==(const Body&) const = default;
};

/// The message is complete. A link that ends without it carried a cut message.
struct End {
  bool operator==(const End&) const = default;
};

/// No answer of a server: what the gateway says instead, in words an agent can act on.
struct Refusal {
  std::uint16_t status = 403;  ///< 400–599
  std::string reason;          ///< one line: what was stopped and why
  std::string how;             ///< one line: what can be done; may be empty
  std::string origin;          ///< of the deciding rule; may be empty
  bool operator==(const Refusal&) const = default;
};

/// The answer can't be completed although its head has been sent.
struct Abort {
  std::string reason;
  bool operator==(const Abort&) const = default;
};

using Frame = std::variant<RequestHead, ResponseHead, Body, End, Refusal, Abort>;

inline constexpr std::size_t kFrameHeader = 5;

struct FrameHeader {
  std::uint8_t type = 0;
  std::uint32_t length = 0;  ///< of the payload, within the bound of its type
};

/// The whole frame, header included.
Bytes encode(const Frame& frame);
/// `malformed` for an unknown type or a length beyond its bound: nothing is allocated for it.
Result<FrameHeader> decode_header(BytesView header);
/// Decodes and checks everything that the types above promise.
Result<Frame> decode_payload(FrameHeader header, BytesView payload);

/// Whether a head keeps its promises; `malformed` with the field that doesn't. decode_payload has done this;
/// the maker of a head calls it before sending.
Result<void> check(const RequestHead& head);
Result<void> check(const ResponseHead& head);

/// The subject that a request is judged as; `malformed` when its path can't be normalised.
Result<policy::Subject> subject_of(const RequestHead& head);

/// Whether a field belongs to one connection or to framing, and so is never in a head: Connection, Host,
/// Content-Length, Transfer-Encoding, TE, Trailer, Upgrade, Expect, Keep-Alive, HTTP2-Settings and Proxy-*.
/// `name` in lower case.
bool is_of_connection(std::string_view name);

}  // namespace belljar::gateway
