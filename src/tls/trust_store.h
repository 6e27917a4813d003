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

 private:
  friend class ClientContext;
  struct State;
  explicit TrustStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace belljar::tls
