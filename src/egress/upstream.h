// Upstream: a connection to a server, kept for further requests to the same scheme, host and port.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>

#include "io/buffered.h"
#include "io/stream.h"
#include "policy/policy.h"
#include "rt/clock.h"
#include "tls/stream.h"

namespace belljar::egress {

/// What a connection may be used for again: nothing less than the same of all three.
struct Origin {
  policy::Scheme scheme = policy::Scheme::https;
  std::string host;
  std::uint16_t port = 443;
  bool operator==(const Origin&) const = default;
};

struct Upstream {
  Origin origin;
  std::unique_ptr<io::Stream> tcp;
  std::unique_ptr<tls::TlsStream> tls;  ///< over `tcp`; null for plain HTTP
  std::unique_ptr<io::BufferedReader> reader;
  bool reused = false;

  [[nodiscard]] io::Stream& stream() { return tls ? *tls : *tcp; }
  /// Whether nothing has come since the last response: neither the server's close nor bytes nobody asked for.
  [[nodiscard]] bool is_quiet() const { return reader->buffered().empty() && tcp->is_quiet(); }
};

/// Idle connections of one jar. They carry that jar's credentials: never shared with another jar.
class Pool {
 public:
  static constexpr std::size_t kMaxIdle = 64;
  static constexpr std::size_t kMaxIdlePerOrigin = 8;
  static constexpr rt::Duration kIdle = std::chrono::seconds(60);

  /// The one used last that is still quiet; nothing when there is none.
  std::unique_ptr<Upstream> take(const Origin& origin);
  void put(std::unique_ptr<Upstream> upstream);
  /// Drops what has been idle for too long; runs in a fiber of its own.
  Result<void> expire();
  [[nodiscard]] std::size_t size() const { return idle_.size(); }

 private:
  struct Idle {
    std::unique_ptr<Upstream> upstream;
    rt::Instant since;
  };
  std::list<Idle> idle_;  // oldest first
};

}  // namespace belljar::egress
