// Network: what may be dialled, as a value that one is given. Who has none reaches nothing.
#pragma once

#include <memory>
#include <vector>

#include "io/stream.h"
#include "net/address.h"

namespace belljar::net {

class Network {
 public:
  virtual ~Network() = default;
  /// A connected TCP stream to exactly this address and port. Refusal by the network's own rule is
  /// `permission_denied`; what the other side or the way there refuses keeps its errno.
  virtual Result<std::unique_ptr<io::Stream>> connect(const Endpoint& endpoint, rt::Deadline deadline) = 0;
};

/// Everything that this process can reach.
class DirectNetwork final : public Network {
 public:
  Result<std::unique_ptr<io::Stream>> connect(const Endpoint& endpoint, rt::Deadline deadline) override;
};

/// Public addresses (net/special_use.h) that are not this host's own, and the endpoints that were named:
/// cheap, so that one is made for each name with the endpoints that are named for it.
class PublicOnlyNetwork final : public Network {
 public:
  /// `below` is borrowed and must dial what it is told.
  explicit PublicOnlyNetwork(Network& below, std::vector<Endpoint> named = {})
      : below_(below), named_(std::move(named)) {}

  /// Refused without a packet sent, with the reason: what may_connect() refuses.
  Result<std::unique_ptr<io::Stream>> connect(const Endpoint& endpoint, rt::Deadline deadline) override;
  /// The check alone. permission_denied with what the address is for.
  [[nodiscard]] Result<void> may_connect(const Endpoint& endpoint) const;

 private:
  Network& below_;
  std::vector<Endpoint> named_;
};

}  // namespace belljar::net
