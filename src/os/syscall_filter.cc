#include "os/syscall_filter.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar::os {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kX32Bit = 0x40000000;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "no syscall filter for this architecture"
#endif

sock_filter statement(unsigned code, std::uint32_t k) { return {static_cast<std::uint16_t>(code), 0, 0, k}; }

sock_filter jump(unsigned code, std::uint32_t k, std::size_t when, std::size_t unless) {
  CHECK(when < 256 && unless < 256);
  return {static_cast<std::uint16_t>(BPF_JMP | code | BPF_K), static_cast<std::uint8_t>(when),
          static_cast<std::uint8_t>(unless), k};
}

sock_filter load(std::size_t offset) {
  return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

}  // namespace

FilterAction allow_call() { return SECCOMP_RET_ALLOW; }
FilterAction ask_listener() { return SECCOMP_RET_USER_NOTIF; }
FilterAction answer_errno(int number) {
  return SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(number) & SECCOMP_RET_DATA);
}

/// Emits the code of a decision tree over call numbers.
class FilterCompiler {
 public:
  using Code = std::vector<sock_filter>;

  explicit FilterCompiler(const SyscallFilter& filter) {
    auto rules = filter.rules_;
    std::sort(rules.begin(), rules.end(), [](auto& a, auto& b) { return a.call < b.call; });
    long next = 0;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const auto& rule = rules[i];
      CHECK(rule.call >= next);  // two rules for one call: one would hide the other
      if (rule.call > next) add(next, -1, filter.otherwise_);
      add(rule.call, rule.cases.empty() ? -1 : static_cast<long>(i), rule.action);
      next = static_cast<long>(rule.call) + 1;
    }
    add(next, -1, filter.otherwise_);
    if (filter.last_known_ >= 0) add(std::max<long>(next, filter.last_known_ + 1), -1, filter.newer_);
    for (auto& range : ranges_)
      range.code = range.rule >= 0 ? body(rules[static_cast<std::size_t>(range.rule)])
                                   : Code{statement(BPF_RET | BPF_K, range.action)};
  }

  Code compile() {
    Code code;
    code.push_back(load(offsetof(seccomp_data, arch)));
    code.push_back(jump(BPF_JEQ, kArchitecture, 1, 0));
    code.push_back(statement(BPF_RET | BPF_K, answer_errno(ENOSYS)));
    code.push_back(load(offsetof(seccomp_data, nr)));
#if defined(__x86_64__)
    code.push_back(jump(BPF_JGE, kX32Bit, 0, 1));
    code.push_back(statement(BPF_RET | BPF_K, answer_errno(ENOSYS)));
#endif
    auto tree = decide(0, ranges_.size());
    code.insert(code.end(), tree.begin(), tree.end());
    return code;
  }

 private:
  struct Range {
    long first;
    long rule;  ///< index of a rule with cases, or -1
    FilterAction action;
    Code code;
  };

  void add(long first, long rule, FilterAction action) {
    if (rule < 0 && !ranges_.empty() && ranges_.back().rule < 0 && ranges_.back().action == action) return;
    ranges_.push_back({first, rule, action, {}});
  }

  static Code body(const SyscallFilter::Rule& rule) {
    Code code;
    for (const auto& choice : rule.cases) {
      // Each match: load, and, compare; a failed compare jumps to the next case.
      std::size_t length = choice.matches.size() * 3 + 1;
      for (std::size_t i = 0; i < choice.matches.size(); ++i) {
        const auto& match = choice.matches[i];
        // Little-endian, as all that we build for.
        std::size_t half = match.half == ArgumentHalf::high ? sizeof(std::uint32_t) : 0;
        code.push_back(load(offsetof(seccomp_data, args) + match.argument * sizeof(std::uint64_t) + half));
        code.push_back(statement(BPF_ALU | BPF_AND | BPF_K, match.mask));
        code.push_back(jump(BPF_JEQ, match.value, 0, length - 3 * (i + 1)));
      }
      code.push_back(statement(BPF_RET | BPF_K, choice.action));
    }
    code.push_back(statement(BPF_RET | BPF_K, rule.action));
    return code;
  }

  Code decide(std::size_t from, std::size_t to) {  // depth: log2 of the number of ranges
    if (to - from == 1) return ranges_[from].code;
    std::size_t middle = from + (to - from) / 2;
    auto low = decide(from, middle);
    auto high = decide(middle, to);
    Code code;
    auto boundary = static_cast<std::uint32_t>(ranges_[middle].first);
    if (low.size() < 256) {
      code.push_back(jump(BPF_JGE, boundary, low.size(), 0));
    } else {
      code.push_back(jump(BPF_JGE, boundary, 0, 1));
      code.push_back(statement(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(low.size())));
    }
    code.insert(code.end(), low.begin(), low.end());
    code.insert(code.end(), high.begin(), high.end());
    return code;
  }

  std::vector<Range> ranges_;
};

SyscallFilter& SyscallFilter::always(int call, FilterAction action) { return cases(call, {}, action); }

SyscallFilter& SyscallFilter::cases(int call, std::vector<Case> cases, FilterAction otherwise) {
  rules_.push_back({call, std::move(cases), otherwise});
  return *this;
}

SyscallFilter& SyscallFilter::newer_than(int last_known, FilterAction action) {
  last_known_ = last_known;
  newer_ = action;
  return *this;
}

std::vector<sock_filter> SyscallFilter::compile() const { return FilterCompiler(*this).compile(); }

namespace {

Result<int> install(const std::vector<sock_filter>& program, unsigned flags) {
  if (program.size() > BPF_MAXINSNS) return Error(ErrorCode::internal, "a syscall filter that is too long");
  sock_fprog view{static_cast<unsigned short>(program.size()),
                  const_cast<sock_filter*>(program.data())};  // NOLINT: the kernel only reads
  auto answer = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &view);
  if (answer < 0) return Error::from_errno(errno, "install the syscall filter");
  return static_cast<int>(answer);
}

}  // namespace

Result<void> install_filter(const std::vector<sock_filter>& program) {
  (void)TRY(install(program, 0));
  return {};
}

Result<Fd> install_asking_filter(const std::vector<sock_filter>& program) {
  return Fd(TRY(install(program, SECCOMP_FILTER_FLAG_NEW_LISTENER)));
}

}  // namespace belljar::os
