// Base64 as it stands in terminal sequences (RFC 4648, 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belljar::screen {

/// Nothing where it is not base64: a foreign character, a wrong length. Padding may be absent.
std::optional<std::string> decode_base64(std::string_view text);
std::string encode_base64(std::string_view bytes);

}  // namespace belljar::screen
