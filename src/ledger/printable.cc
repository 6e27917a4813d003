#include "ledger/printable.h"

#include <cstdint>

namespace belljar::ledger {

namespace {

constexpr std::string_view kEllipsis = "…";

/// What takes no room: two texts that differ in it look the same, and tags (U+E0000…) carry whole texts.
bool is_invisible(std::uint32_t point) {
  return point == 0xad || point == 0x61c || (point >= 0x200b && point <= 0x200d) ||
         (point >= 0x2060 && point <= 0x2064) || (point >= 0xe0000 && point <= 0xe007f);
}

bool is_obeyed(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7f && point <= 0x9f) || point == 0x2028 || point == 0x2029 ||
         (point >= 0x200e && point <= 0x200f) || (point >= 0x202a && point <= 0x202e) ||
         (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

struct Character {
  std::size_t length = 0;  ///< in bytes
  std::uint32_t point = 0;
};

/// The printable character at the start of `text`, of length 0 when there is none (RFC 3629 section 4).
Character first_character(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  std::uint32_t point = byte(0);
  if (point < 0x80) return {.length = is_obeyed(point) ? 0U : 1U, .point = point};
  std::size_t length = point >= 0xf0 ? 4 : point >= 0xe0 ? 3 : 2;
  if (point < 0xc2 || point > 0xf4 || text.size() < length) return {};
  point &= 0x7fU >> length;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < kLeast[length] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff) || is_obeyed(point))
    return {};
  return {.length = length, .point = point};
}

}  // namespace

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    auto [length, point] = first_character(text);
    if (length == 0 || is_invisible(point)) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string make_printable(std::string_view text, std::size_t limit) {
  std::string out;
  std::size_t last_fit = 0;  // how much fits with an ellipsis behind it
  while (!text.empty()) {
    auto [length, point] = first_character(text);
    if (length == 0)
      out += '?';
    else if (is_invisible(point))
      out.append(length, '?');
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
    if (out.size() > limit) {
      out.resize(last_fit);
      return out += kEllipsis;
    }
    if (out.size() + kEllipsis.size() <= limit) last_fit = out.size();
  }
  return out;
}

}  // namespace belljar::ledger
