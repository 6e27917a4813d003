// Nursery: owns the fibers started in it. None outlives it: leaving the scope cancels and joins them.
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "rt/loop.h"

namespace belljar::rt {

struct NurseryState;

class Nursery {
 public:
  Nursery();
  /// Cancels what still runs and waits for its end.
  ~Nursery();
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;

  /// Starts a fiber. It runs when the caller next waits; in a cancelled nursery every wait of it fails. A
  /// failure of it is kept for join() (the first one counts) and cancels its siblings; fibers whose failures
  /// are nobody else's business return {} and log.
  void start(std::function<Result<void>()> body);

  /// Waits until all have ended; the first failure, if any. `cancelled` answers after cancel() are none. When
  /// the caller is cancelled meanwhile, so are the fibers in here, and join() fails with `cancelled` once
  /// they ended.
  Result<void> join();
  /// Every wait of the fibers in here now fails with ErrorCode::cancelled; does not wait.
  void cancel();
  /// Fibers that have not ended.
  [[nodiscard]] std::size_t size() const;

 private:
  std::unique_ptr<NurseryState> state_;
};

/// While it lives, the waits of this fiber don't fail for being cancelled. For a last word that has a
/// deadline of its own: recording how something ended.
class Shield {
 public:
  Shield();
  ~Shield();
  Shield(const Shield&) = delete;
  Shield& operator=(const Shield&) = delete;
};

}  // namespace belljar::rt
