// Connection: one TCP connection of the jar, from its first byte to its close.
//
// TLS is ended here with a leaf of the jar's own authority, also where everything will be denied: only a
// request can be answered with a reason. The name of the destination, SNI and each request's authority must
// be the same.
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "http/reader.h"
#include "io/buffered.h"
#include "io/stream.h"
#include "proxy/context.h"
#include "proxy/destination.h"
#include "proxy/forward.h"
#include "tls/client_hello.h"

namespace belljar::proxy {

class Connection {
 public:
  /// `stream` is borrowed, `socket` the descriptor below it.
  Connection(Context& context, io::Stream& stream, int socket, Destination destination);

  /// Serves requests until either side is done. Failures of the connection are nobody else's business:
  /// logged.
  void serve();

 private:
  Result<void> serve_first_bytes();
  Result<void> serve_tls(io::BufferedReader& first, const tls::ClientHello& hello);
  Result<void> serve_plain(io::BufferedReader& first);
  Result<void> serve_requests(io::BufferedReader& reader, io::Stream& stream, policy::Scheme scheme);
  After serve_request(Client& client, http::Request& request, policy::Scheme scheme);
  After refuse_malformed(Client& client, const http::Refusal& refusal, policy::Scheme scheme);
  After refuse(Client& client, const http::Request& request, policy::Scheme scheme, gateway::Refusal refusal);
  /// Why this request goes no further, if so; `head` is filled where it may.
  std::optional<gateway::Refusal> judge(const http::Request& request, policy::Scheme scheme,
                                        gateway::RequestHead& head);
  /// Into the ledger: refused before a request was there.
  void record_refused(std::string reason, std::string origin = {});

  Context& context_;
  io::Stream& stream_;
  int socket_;
  Destination destination_;
  bool refused_ = false;  // whether any request to this destination would be denied, as far as is known
  std::unique_ptr<gateway::Link> link_;
};

}  // namespace belljar::proxy
