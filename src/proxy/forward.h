// Forwarding one allowed request to scan, and its answer back to the jar's client.
#pragma once

#include <memory>

#include "gateway/link.h"
#include "http/message.h"
#include "io/buffered.h"
#include "proxy/context.h"

namespace belljar::proxy {

/// The client side of one connection of the jar, TLS or plain.
struct Client {
  io::BufferedReader& reader;
  io::Stream& stream;
  int socket;  ///< of the connection below, to notice that the client has gone
  bool tls;
};

/// What becomes of the client's connection.
enum class After : std::uint8_t {
  keep,   ///< the next request may follow
  close,  ///< the answer is complete, nothing may follow
  drop,   ///< the answer is cut: close without pretending an end
};

/// `head` was judged. Opens `link` where there is none yet and leaves it open for the next request where it
/// can be. Body and answer stream both ways at once; each waits while its receiver does not read.
After forward(Context& context, Client& client, const http::Request& request, gateway::RequestHead head,
              std::unique_ptr<gateway::Link>& link);

}  // namespace belljar::proxy
