// Byte sequences as this project passes them: owned (Bytes) or borrowed (BytesView).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

using Bytes = std::vector<std::uint8_t>;
using BytesView = std::span<const std::uint8_t>;

/// The bytes of a text, borrowed: valid as long as the text.
inline BytesView as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Bytes seen as text (no encoding is checked), borrowed.
inline std::string_view as_text(BytesView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline Bytes to_bytes(std::string_view text) {
  auto view = as_bytes(text);
  return {view.begin(), view.end()};
}

/// Lower-case hexadecimal, two digits a byte.
std::string to_hex(BytesView bytes);

}  // namespace belljar
