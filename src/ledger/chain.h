// The hash chain: each row's hash covers the row and the hash before it, so that no row can be changed, taken
// out or moved without every later hash being wrong.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace belljar::ledger {

using Hash = std::array<std::uint8_t, 32>;  ///< SHA-256

/// What is hashed of a row.
struct Record {
  std::uint64_t sequence = 0;  ///< from 1, without gaps
  std::int64_t time = 0;       ///< microseconds since 1970 (UTC), when the ledger got it
  std::string jar;             ///< empty: not of one jar
  std::string source;          ///< "proxy", "egress", "keeper", "cli"
  Bytes event;                 ///< encode(Event)
};

/// SHA-256 over `previous` and the record in the encoding of wire/codec.h, in the order of its members.
Hash hash_of(const Hash& previous, const Record& record);

/// Before the first row.
inline constexpr Hash kNoHash{};

}  // namespace belljar::ledger
