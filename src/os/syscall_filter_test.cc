#include "os/syscall_filter.h"

#include <cerrno>
#include <cstring>

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace belljar::os {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kHere = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kHere = AUDIT_ARCH_AARCH64;
#endif

/// What the program answers: the few instructions that the compiler emits, interpreted.
std::uint32_t answer(const std::vector<sock_filter>& program, seccomp_data data) {
  std::uint32_t accumulator = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const auto& step = program[at];
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS: {
        std::memcpy(&accumulator, reinterpret_cast<const char*>(&data) + step.k, sizeof accumulator);
        break;
      }
      case BPF_ALU | BPF_AND | BPF_K:
        accumulator &= step.k;
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        at += accumulator == step.k ? step.jt : step.jf;
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        at += accumulator >= step.k ? step.jt : step.jf;
        break;
      case BPF_JMP | BPF_JA:
        at += step.k;
        break;
      case BPF_RET | BPF_K:
        return step.k;
      default:
        ADD_FAILURE() << "an unknown instruction";
        return 0;
    }
  }
  ADD_FAILURE() << "ran off the end";
  return 0;
}

seccomp_data call(int number, std::uint64_t first = 0, std::uint64_t second = 0) {
  seccomp_data data{};
  data.nr = number;
  data.arch = kHere;
  data.args[0] = first;
  data.args[1] = second;
  return data;
}

TEST(SyscallFilter, AnswersEveryNumberByItsRule) {
  SyscallFilter filter(answer_errno(EPERM));
  for (int number = 0; number < 400; number += 3)
    filter.always(number, allow_call());
  filter.always(7, answer_errno(ENOSYS));
  filter.newer_than(450, answer_errno(ENOSYS));
  auto program = filter.compile();
  for (int number = 0; number < 600; ++number) {
    auto expected = answer_errno(EPERM);
    if (number < 400 && number % 3 == 0) expected = allow_call();
    if (number == 7 || number > 450) expected = answer_errno(ENOSYS);
    EXPECT_EQ(answer(program, call(number)), expected) << number;
  }
}

TEST(SyscallFilter, LooksAtArguments) {
  SyscallFilter filter(allow_call());
  filter.cases(10,
               {{{{0, ~0U, 5}, {1, 0xf, 2}}, answer_errno(0)}, {{{0, 0x100, 0x100}}, answer_errno(EACCES)}},
               answer_errno(EINVAL));
  auto program = filter.compile();
  EXPECT_EQ(answer(program, call(10, 5, 0x32)), answer_errno(0));
  EXPECT_EQ(answer(program, call(10, 5, 3)), answer_errno(EINVAL));
  EXPECT_EQ(answer(program, call(10, 0x101)), answer_errno(EACCES));
  EXPECT_EQ(answer(program, call(11, 5)), allow_call());
}

TEST(SyscallFilter, RefusesOtherArchitectures) {
  SyscallFilter filter(allow_call());
  auto program = filter.compile();
  auto foreign = call(0);
  foreign.arch = AUDIT_ARCH_I386;
  EXPECT_EQ(answer(program, foreign), answer_errno(ENOSYS));
#if defined(__x86_64__)
  EXPECT_EQ(answer(program, call(0x40000000)), answer_errno(ENOSYS));
  EXPECT_EQ(answer(program, call(-1)), answer_errno(ENOSYS));
#endif
}

TEST(SyscallFilter, TheKernelTakesIt) {
  pid_t child = ::fork();
  if (child == 0) {
    SyscallFilter filter(allow_call());
    filter.always(SYS_getppid, answer_errno(ENETDOWN));
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!install_filter(filter.compile()).ok()) ::_exit(1);
    ::_exit(::syscall(SYS_getppid) == -1 && errno == ENETDOWN ? 0 : 2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace belljar::os
