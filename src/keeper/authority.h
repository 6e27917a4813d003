// The authority of one start: the spare one that an earlier start has made behind itself, or else made beside
// everything else that this start does.
#pragma once

#include <optional>
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

/// A spare one, or a child of this process that makes one on another processor: it takes milliseconds, as
/// many as reading the configuration and the host's files.
class AuthorityInTheMaking {
 public:
  /// Takes the spare one, or forks. The caller must be single-threaded.
  static Result<AuthorityInTheMaking> start();
  /// Waits for it.
  Result<Authority> take();

 private:
  explicit AuthorityInTheMaking(Authority spare) : spare_(std::move(spare)) {}
  AuthorityInTheMaking(os::Pid child, os::Fd pipe) : child_(std::move(child)), pipe_(std::move(pipe)) {}
  std::optional<Authority> spare_;
  os::Pid child_;
  os::Fd pipe_;
};

/// Begins to make a spare authority, where there is none (else the answer is empty), in a process that goes
/// on by itself when it is abandoned. The authority waits in the kernel's memory (os/keyring.h), a day at
/// most; it is on no disk, and is used once.
Result<os::Pid> make_spare_authority();

}  // namespace belljar::keeper
