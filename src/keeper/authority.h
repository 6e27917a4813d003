// The authority of one start, made beside everything else that a start does.
#pragma once

#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "os/fd.h"
#include "os/pid.h"

namespace belljar::keeper {

struct Authority {
  std::string certificate;  ///< PEM
  Secret key;               ///< PEM
};

/// A child of this process that makes an authority on another processor: it takes milliseconds, as many as
/// reading the configuration and the host's files.
class AuthorityInTheMaking {
 public:
  /// Forks. The caller must be single-threaded.
  static Result<AuthorityInTheMaking> start();
  /// Waits for it.
  Result<Authority> take();

 private:
  AuthorityInTheMaking(os::Pid child, os::Fd pipe) : child_(std::move(child)), pipe_(std::move(pipe)) {}
  os::Pid child_;
  os::Fd pipe_;
};

}  // namespace belljar::keeper
