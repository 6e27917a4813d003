// Request and Response heads in canonical form: all that is passed on of what a peer sent. RFC 9110, RFC
// 9112.
//
// Host, Content-Length, Transfer-Encoding and "Expect: 100-continue" are not among the headers: they were
// read once, strictly, into the fields below, and the writer makes them anew. So nobody downstream can read
// them differently.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "http/headers.h"

namespace belljar::http {

/// How the end of a body is found. RFC 9112 section 6.3.
enum class BodyKind : std::uint8_t {
  none,
  length,  ///< exactly Framing::length bytes (0 too)
  chunked,
  until_close,  ///< responses only
};

struct Framing {
  BodyKind kind = BodyKind::none;
  std::uint64_t length = 0;
  bool operator==(const Framing&) const = default;
};

enum class TargetKind : std::uint8_t {
  origin,    ///< "/path?query"; absolute-form has been turned into it
  connect,   ///< "CONNECT host:port": host and port are filled, path is empty
  asterisk,  ///< "OPTIONS *"
};

struct Request {
  std::string method;  ///< a token, case kept (methods are case-sensitive)
  TargetKind target_kind = TargetKind::origin;
  std::string scheme;                 ///< of absolute-form ("http", "https"), else empty
  std::string host;                   ///< lower case; an IPv6 literal keeps its brackets; never empty
  std::optional<std::uint16_t> port;  ///< as given with the host
  std::string path;                   ///< begins with '/', percent-encoding as sent
  std::optional<std::string> query;   ///< without '?'; an empty one differs from none
  /// HTTP/1.x, 0 or 1: what the peer spoke. We always write 1.1, but a 1.0 client can't read chunks: its
  /// answer's body is sent until_close.
  int minor_version = 1;
  Headers headers;
  Framing framing;
  bool keep_alive = true;         ///< whether another request may follow on this connection
  bool expects_continue = false;  ///< the peer waits for "100 Continue" before the body

  [[nodiscard]] std::string authority() const;  ///< "host" or "host:port"
  [[nodiscard]] std::string target() const;     ///< "/path?query", "*" or "host:port"
};

struct Response {
  int status = 0;      ///< 100–599
  std::string reason;  ///< may be empty; visible characters and spaces
  int minor_version = 1;
  Headers headers;
  Framing framing;
  /// Content-Length of a response that has no body for all that (to HEAD, 304): passed on, never read.
  std::optional<std::uint64_t> announced_length;
  bool keep_alive = true;
};

/// Why a request is not served: what to answer before the connection is closed.
struct Refusal {
  int status = 400;
  std::string reason;  ///< one line, no bytes of the peer in it
};

/// The peer closed where a message would have begun.
struct Ended {};

/// The reason phrase of RFC 9110 for a status; empty for unknown ones.
std::string_view reason_phrase(int status);

/// 1xx other than 101: another head follows.
inline bool is_interim(int status) { return status >= 100 && status < 200 && status != 101; }

/// Splits "host", "host:port", "[v6]:port" into a lower-case host and a port; nothing for anything else (user
/// information, empty host, port 0 or above 65535, characters that no host has).
struct HostAndPort {
  std::string host;
  std::optional<std::uint16_t> port;
};
std::optional<HostAndPort> split_authority(std::string_view text);

}  // namespace belljar::http
