#include "screen/base64.h"

#include <cstdint>

namespace belljar::screen {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  for (int padding = 0; padding < 2 && !text.empty() && text.back() == '='; ++padding)
    text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (char character : text) {
    auto digit = kDigits.find(character);
    if (digit == std::string_view::npos) return std::nullopt;
    group = group << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>(group >> bits & 0xFFU));
  }
  return bytes;
}

std::string encode_base64(std::string_view bytes) {
  std::string text;
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (char character : bytes) {
    group = group << 8 | static_cast<std::uint8_t>(character);
    for (bits += 8; bits >= 6;) {
      bits -= 6;
      text += kDigits[group >> bits & 63U];
    }
  }
  if (bits > 0) text += kDigits[group << (6 - bits) & 63U];
  while (text.size() % 4 != 0)
    text += '=';
  return text;
}

}  // namespace belljar::screen
