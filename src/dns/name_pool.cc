#include "dns/name_pool.h"

#include <algorithm>

#include "base/panic.h"

namespace belljar::dns {
namespace {

constexpr std::size_t kMostName = 253;

bool is_canonical(std::string_view name) {
  if (name == ".") return true;
  return !name.empty() && name.size() <= kMostName && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

}  // namespace

std::variant<std::uint32_t, PoolRefusal> NamePool::assign(std::string_view name, rt::Instant now) {
  CHECK(is_canonical(name));
  std::string key(name);
  if (auto known = addresses_.find(key); known != addresses_.end()) return known->second;
  if (names_.size() >= std::min(limits_.names, kPoolCapacity)) return PoolRefusal::too_many;

  const auto burst = static_cast<double>(limits_.burst);
  if (tokens_ < 0) {
    tokens_ = burst;
  } else {
    const std::chrono::duration<double> passed = now - refilled_;
    tokens_ = std::min(burst, tokens_ + std::max(0.0, passed.count()) * limits_.names_per_second);
  }
  refilled_ = now;
  if (tokens_ < 1) return PoolRefusal::too_fast;
  tokens_ -= 1;

  const auto address = static_cast<std::uint32_t>(kFirstSynthetic + names_.size());
  names_.push_back(key);
  addresses_.emplace(std::move(key), address);
  return address;
}

std::optional<std::string_view> NamePool::name_of(std::uint32_t address) const {
  if (address < kFirstSynthetic || address - kFirstSynthetic >= names_.size()) return std::nullopt;
  return names_[address - kFirstSynthetic];
}

// One byte of length before each name, in the order of the addresses: no address is written, so none can be
// wrong.
Bytes NamePool::save() const {
  Bytes saved;
  for (const std::string& name : names_) {
    saved.push_back(static_cast<std::uint8_t>(name.size()));
    saved.insert(saved.end(), name.begin(), name.end());
  }
  return saved;
}

Result<NamePool> NamePool::load(BytesView saved, PoolLimits limits) {
  NamePool pool(limits);
  while (!saved.empty()) {
    const std::size_t length = saved[0];
    if (length > saved.size() - 1) return Error(ErrorCode::malformed, "the saved name pool is cut");
    std::string name(as_text(saved.subspan(1, length)));
    saved = saved.subspan(1 + length);
    if (!is_canonical(name))
      return Error(ErrorCode::malformed, "the saved name pool has a name that can't be");
    if (pool.names_.size() >= kPoolCapacity)
      return Error(ErrorCode::malformed, "the saved name pool is too large");
    const auto address = static_cast<std::uint32_t>(kFirstSynthetic + pool.names_.size());
    if (!pool.addresses_.emplace(name, address).second) {
      return Error(ErrorCode::malformed, "the saved name pool has a name twice");
    }
    pool.names_.push_back(std::move(name));
  }
  return pool;
}

}  // namespace belljar::dns
