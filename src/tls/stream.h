// TLS over any stream, both sides. TLS 1.2 and 1.3; no renegotiation, no compression, no early data. RFC
// 8446.
//
// OpenSSL never waits in here: it works on buffers, and only our own code around it suspends the fiber. So
// one fiber may read while another writes, as on every Stream.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/stream.h"
#include "tls/authority.h"
#include "tls/trust_store.h"

namespace belljar::tls {

/// What TLS runs over; both are borrowed and must outlive the TLS stream. They differ where the first bytes
/// were looked at (a BufferedReader over the stream that is written to).
struct Transport {
  io::Reader& reader;
  io::Writer& writer;
  Transport(io::Reader& from, io::Writer& to) : reader(from), writer(to) {}
  Transport(io::Stream& both) : reader(both), writer(both) {}  // implicit: the common case
};

/// write() collects records, up to 64 KiB; flush() and close_write() send them (the latter with a
/// close_notify). read_some() answers 0 at the peer's close_notify; a connection that ends without one also
/// reads as its end, and truncated() tells: a body that lasts until the close must then not be taken for
/// complete.
class TlsStream : public io::Stream {
 public:
  [[nodiscard]] virtual bool truncated() const = 0;
  [[nodiscard]] virtual const std::string& alpn() const = 0;  ///< agreed on; empty: none
  [[nodiscard]] virtual std::string version() const = 0;      ///< "TLSv1.3"
  [[nodiscard]] virtual bool resumed() const = 0;
};

/// Server side, with a leaf for `name` from the mint. `alpn` in order of preference; a client that offers
/// ALPN but none of them is refused; empty: none is agreed on. Deadlines are those set on the transport.
/// Errors: `malformed` for a failed handshake (its message names the alert, such as "unknown ca" when the
/// client does not trust the jar's authority), `closed`, and those of the transport.
Result<std::unique_ptr<TlsStream>> accept_tls(Transport transport, LeafMint& mint, std::string_view name,
                                              const std::vector<std::string>& alpn);

/// Client side: SNI, the chain up to the trust store and the name (or address) are verified. Errors:
/// `permission_denied` when the certificate does not convince ("the certificate of x is not trusted:
/// self-signed certificate"), `malformed` for other failed handshakes, `closed`, and those of the transport.
/// Sessions are resumed per `host` within one trust store, so give a store to one purpose only.
Result<std::unique_ptr<TlsStream>> connect_tls(Transport transport, std::string_view host, TrustStore& trust,
                                               const std::vector<std::string>& alpn);

}  // namespace belljar::tls
