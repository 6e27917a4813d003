// NamePool: which synthetic address stands for which name in one jar, both ways.
//
// Addresses of 198.18.0.0/15 (RFC 2544: never on the internet) are given out once and never again in the
// jar's life, so an address is a name, and a cached one never comes to mean another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "rt/clock.h"

namespace belljar::dns {

struct PoolLimits {
  std::size_t names = 65536;       ///< in a jar's life; at most kPoolCapacity
  std::size_t burst = 512;         ///< new names at once …
  double names_per_second = 32.0;  ///< … and then this many
};

/// 198.18.1.0 is the first address given out (the /24 below is kept for the door itself), 198.19.255.254 the
/// last.
inline constexpr std::uint32_t kFirstSynthetic = 0xC6120100;
inline constexpr std::uint32_t kLastSynthetic = 0xC613FFFE;
inline constexpr std::size_t kPoolCapacity = kLastSynthetic - kFirstSynthetic + 1;

enum class PoolRefusal : std::uint8_t { too_many, too_fast };

class NamePool {
 public:
  explicit NamePool(PoolLimits limits = {}) : limits_(limits) {}

  /// The address of a canonical name (host byte order), the same one every time; a new one for a new name
  /// unless a limit says no. `name` must be canonical (a Query's).
  std::variant<std::uint32_t, PoolRefusal> assign(std::string_view name, rt::Instant now);
  /// The name of an address that was given out.
  [[nodiscard]] std::optional<std::string_view> name_of(std::uint32_t address) const;
  [[nodiscard]] std::size_t size() const { return names_.size(); }

  /// To survive a restart of its process. Errors of load: `malformed`.
  [[nodiscard]] Bytes save() const;
  static Result<NamePool> load(BytesView saved, PoolLimits limits = {});

 private:
  PoolLimits limits_;
  std::vector<std::string> names_;  // by address - kFirstSynthetic
  std::unordered_map<std::string, std::uint32_t> addresses_;
  double tokens_ = -1;  // -1: full, not yet used
  rt::Instant refilled_{};
};

}  // namespace belljar::dns
