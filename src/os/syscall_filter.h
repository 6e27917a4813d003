// A syscall filter (seccomp) written as a list of rules and compiled to a BPF program that finds its rule by
// binary search: at most some ten instructions a call, and the kernel caches the calls that are always
// allowed.
//
// Every call made through another architecture (32-bit, x32) is refused with ENOSYS before any rule is looked
// at.
#pragma once

#include <cstdint>
#include <vector>

#include <linux/filter.h>

#include "base/result.h"
#include "os/fd.h"

namespace belljar::os {

/// What a filter answers: one of SECCOMP_RET_*.
using FilterAction = std::uint32_t;
FilterAction allow_call();
/// The call is not made and returns -1 with this errno; 0: it seems to succeed.
FilterAction answer_errno(int number);
/// The call waits until whoever has the filter's listener has answered it.
FilterAction ask_listener();

enum class ArgumentHalf { low, high };

/// A condition on one argument: (argument & mask) == value. Only the low 32 bits are looked at, as for every
/// int argument; that something wider is zero takes two conditions.
struct ArgumentMatch {
  unsigned argument = 0;
  std::uint32_t mask = ~0U;
  std::uint32_t value = 0;
  ArgumentHalf half = ArgumentHalf::low;
};

class SyscallFilter {
 public:
  /// `otherwise` answers calls that no rule names.
  explicit SyscallFilter(FilterAction otherwise) : otherwise_(otherwise) {}

  /// A call that always has this answer.
  SyscallFilter& always(int call, FilterAction action);
  /// A call whose answer is that of the first matching condition set (all must match), else `otherwise`.
  struct Case {
    std::vector<ArgumentMatch> matches;
    FilterAction action;
  };
  SyscallFilter& cases(int call, std::vector<Case> cases, FilterAction otherwise);

  /// Calls above this number that no rule names: younger than this program.
  SyscallFilter& newer_than(int last_known, FilterAction action);

  [[nodiscard]] std::vector<sock_filter> compile() const;

 private:
  struct Rule {
    int call;
    std::vector<Case> cases;
    FilterAction action;
  };
  friend class FilterCompiler;
  FilterAction otherwise_;
  int last_known_ = -1;
  FilterAction newer_ = 0;
  std::vector<Rule> rules_;
};

/// Puts the filter on this thread for good; needs no_new_privs.
Result<void> install_filter(const std::vector<sock_filter>& program);
/// The same for a filter that asks; the answer is its listener. Fails with EBUSY where a filter that was
/// installed before has one.
Result<Fd> install_asking_filter(const std::vector<sock_filter>& program);

}  // namespace belljar::os
