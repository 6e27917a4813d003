// TrustStore: which authorities a server's certificate may come from. Made from bytes: its process has no
// files.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"

namespace belljar::tls {

class TrustStore {
 public:
  /// Every certificate of one or more PEM bundles put together; entries that do not parse are left out and
  /// counted. `malformed` when not a single one is left.
  static Result<TrustStore> from_pem(std::string_view bundle);
  ~TrustStore();
  TrustStore(TrustStore&&) noexcept;
  TrustStore& operator=(TrustStore&&) noexcept;

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::size_t skipped() const;

  struct State;  ///< tls/trust_store_state.h

 private:
  friend class ClientContext;
  explicit TrustStore(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;  // shared with the connections, whose sessions come in at any time
};

}  // namespace belljar::tls
