// The inside of trust_store.h. Included by the .cc files of this folder only.
#pragma once

#include <list>
#include <map>
#include <string>
#include <string_view>

#include "tls/openssl.h"
#include "tls/trust_store.h"

namespace belljar::tls {

struct TrustStore::State {
  ContextOwner context;  // of all connections that are verified with it
  std::size_t size = 0;
  std::size_t skipped = 0;

  /// Sessions to resume, the last few for each host; each is used once (RFC 8446, appendix C.4).
  struct Session {
    std::string host;
    SessionOwner session;
  };
  std::list<Session> sessions;  // oldest first
};

/// What stream.cc needs of a trust store.
class ClientContext {
 public:
  /// A connection's SSL object, verifying for this host (a name or an address); a session to resume is set if
  /// there is one. `host` must outlive the SSL object, since sessions that come in are kept under it.
  static Result<SslOwner> open(const std::shared_ptr<TrustStore::State>& state, const std::string& host);
  static const std::shared_ptr<TrustStore::State>& state_of(TrustStore& store) { return store.state_; }
};

}  // namespace belljar::tls
