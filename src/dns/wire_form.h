// Bits of the DNS header's second word. RFC 1035 section 4.1.1, RFC 4035 section 3.2.2 (CD).
#pragma once

#include <cstdint>

namespace belljar::dns {

inline constexpr std::uint16_t kResponse = 0x8000;
inline constexpr std::uint16_t kOpcodeMask = 0x7800;
inline constexpr std::uint16_t kTruncated = 0x0200;
inline constexpr std::uint16_t kRecursionDesired = 0x0100;
inline constexpr std::uint16_t kRecursionAvailable = 0x0080;
inline constexpr std::uint16_t kCheckingDisabled = 0x0010;

}  // namespace belljar::dns
