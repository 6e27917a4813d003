// Error: why something could not be done, for a person and for the code that must react to its kind.
//
// An error is a failure, never an answer: a verdict, "no such jar" or "the peer closed" are values. It
// carries a trail of what was being attempted, innermost first, added while it travels up (Result::context),
// and where there is one the next command that a person can type (Error::hint).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

/// What kind of failure, as far as any caller reacts to it.
enum class ErrorCode : std::uint8_t {
  invalid_argument,  ///< The caller or the user gave something that can't be.
  not_found,
  already_exists,
  permission_denied,
  malformed,  ///< Bytes from outside do not follow their specification.
  limit_exceeded,
  closed,  ///< The other side is gone.
  timed_out,
  cancelled,  ///< The nursery of this fiber is being closed.
  unsupported,
  system,    ///< A system call failed in a way that no other code names; see system_errno().
  internal,  ///< A broken promise of our own.
};

std::string_view name_of(ErrorCode code);

class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message);

  /// A failed system call: `what` names the call and its object ("open /etc/hosts").
  static Error from_errno(int saved_errno, std::string what);

  [[nodiscard]] ErrorCode code() const { return detail_->code; }
  /// The errno of the failed call, 0 where none failed.
  [[nodiscard]] int system_errno() const { return detail_->saved_errno; }
  [[nodiscard]] const std::string& message() const { return detail_->message; }
  [[nodiscard]] const std::string& hint() const { return detail_->hint; }
  [[nodiscard]] const std::vector<std::string>& trail() const { return detail_->trail; }

  /// Adds what was being done when it failed ("loading the policy").
  Error&& context(std::string doing) &&;
  /// Sets the next command to type; the innermost one stays.
  Error&& with_hint(std::string command) &&;

  /// One line: "loading the policy: open /x: No such file or directory". The hint is not part of it.
  [[nodiscard]] std::string to_string() const;

 private:
  struct Detail {
    ErrorCode code;
    int saved_errno = 0;
    std::string message;
    std::string hint;
    std::vector<std::string> trail;
  };
  std::unique_ptr<Detail> detail_;  // one word, so that Result<T> stays small
};

}  // namespace belljar
