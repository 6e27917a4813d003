#include "os/landlock.h"

#include <cerrno>
#include <cstdint>

#include <sys/syscall.h>
#include <unistd.h>

#include "os/fd.h"

namespace belljar::os {

namespace {

// From the kernel's linux/landlock.h of ABI 6: Debian 12's ends with ABI 2.
struct RulesetAttributes {
  std::uint64_t handled_paths;
  std::uint64_t handled_net;
  std::uint64_t scoped;
};

struct __attribute__((packed)) PathBeneath {
  std::uint64_t allowed;
  std::int32_t parent;
};

constexpr unsigned kVersion = 1U << 0;
constexpr int kRulePathBeneath = 1;

constexpr std::uint64_t kWriteFile = 1ULL << 1;
constexpr std::uint64_t kReadFile = 1ULL << 2;
constexpr std::uint64_t kReadDirectory = 1ULL << 3;
constexpr std::uint64_t kRemoveDirectory = 1ULL << 4;
constexpr std::uint64_t kRemoveFile = 1ULL << 5;
constexpr std::uint64_t kMakeDirectory = 1ULL << 7;
constexpr std::uint64_t kMakeRegular = 1ULL << 8;
constexpr std::uint64_t kTruncate = 1ULL << 14;

constexpr std::uint64_t kReading = kReadFile | kReadDirectory;
// No execution, devices, sockets or links: nothing of ours makes them.
constexpr std::uint64_t kWriting =
    kWriteFile | kRemoveDirectory | kRemoveFile | kMakeDirectory | kMakeRegular | kTruncate;

constexpr std::uint64_t kBindTcp = 1ULL << 0;
constexpr std::uint64_t kConnectTcp = 1ULL << 1;
constexpr std::uint64_t kScopes = 1ULL << 0 | 1ULL << 1;  // abstract sockets, signals

std::uint64_t path_rights(int abi) {
  int bits = abi >= 5 ? 16 : abi >= 3 ? 15 : abi == 2 ? 14 : 13;
  return (1ULL << bits) - 1;
}

std::size_t attributes_size(int abi) { return sizeof(std::uint64_t) * (abi >= 6 ? 3U : abi >= 4 ? 2U : 1U); }

Result<void> grant(int ruleset, const PathGrant& path, std::uint64_t known) {
  PathBeneath rule{.allowed = (kReading | (path.writable ? kWriting : 0)) & known, .parent = path.fd};
  if (::syscall(SYS_landlock_add_rule, ruleset, kRulePathBeneath, &rule, 0) < 0)
    return Error::from_errno(errno, "grant a directory");
  return {};
}

}  // namespace

int landlock_abi() {
  auto version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kVersion);
  return version > 0 ? static_cast<int>(version) : 0;
}

Result<void> restrict_with_landlock(const LandlockRules& rules) {
  int abi = landlock_abi();
  if (abi == 0) return Error(ErrorCode::unsupported, "this kernel has no Landlock");
  RulesetAttributes attributes{
      .handled_paths = path_rights(abi),
      .handled_net = abi >= 4 ? (rules.tcp_bind ? 0 : kBindTcp) | (rules.tcp_connect ? 0 : kConnectTcp) : 0,
      .scoped = abi >= 6 ? kScopes : 0};
  Fd ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, attributes_size(abi), 0)));
  if (!ruleset) return Error::from_errno(errno, "create a Landlock ruleset");
  for (const auto& path : rules.paths)
    TRY(grant(ruleset.get(), path, attributes.handled_paths));
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) < 0)
    return Error::from_errno(errno, "put on Landlock");
  return {};
}

}  // namespace belljar::os
