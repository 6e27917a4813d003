// Anchor: the head of the chain in a file of its own, written after every commit. Rows cut off at the end
// leave a chain that is whole in itself; the anchor still names the row that is missing.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "ledger/chain.h"
#include "os/fd.h"

namespace belljar::ledger {

struct Head {
  std::uint64_t sequence = 0;  ///< 0: no rows yet
  Hash hash = kNoHash;
};

class Anchor {
 public:
  static Result<Anchor> open(const std::string& path, bool create);

  /// Nothing when it was never written or is no anchor.
  [[nodiscard]] Result<std::optional<Head>> read() const;
  Result<void> write(const Head& head) const;

  /// Keeps other processes from committing; timed_out after five seconds. Unlocked when dropped.
  class [[nodiscard]] Lock {
   public:
    explicit Lock(int fd) : fd_(fd) {}
    Lock(Lock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Lock& operator=(Lock&&) = delete;
    ~Lock();

   private:
    int fd_;
  };
  [[nodiscard]] Result<Lock> lock() const;

 private:
  explicit Anchor(os::Fd fd) : fd_(std::move(fd)) {}
  os::Fd fd_;
};

}  // namespace belljar::ledger
