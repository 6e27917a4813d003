// The ClientHello of a connection, looked at before anything is answered. RFC 8446 section 4.1.2, RFC 6066
// section 3 (SNI), RFC 7301 (ALPN).
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "io/buffered.h"

namespace belljar::tls {

struct ClientHello {
  std::string server_name;            ///< lower case, no trailing dot; empty: none was sent
  std::vector<std::string> alpn;      ///< as offered, in order
  bool encrypted_hello = false;       ///< carries an encrypted_client_hello extension (GREASE included)
  std::uint16_t highest_version = 0;  ///< 0x0303 TLS 1.2, 0x0304 TLS 1.3
};

/// The first byte is no TLS handshake record: plain HTTP, or anything else.
struct NotTls {};

/// Looks without consuming: the same bytes then go to accept_tls. Errors: `malformed`, `limit_exceeded` (a
/// hello above 16 KiB), `closed` when the peer ends before, and those of the source.
Result<std::variant<ClientHello, NotTls>> peek_client_hello(io::BufferedReader& reader);

/// The parser alone: the bytes of a handshake message of type client_hello, header included.
Result<ClientHello> parse_client_hello(BytesView message);

}  // namespace belljar::tls
