#include "screen/payload.h"

#include <charconv>

#include "screen/utf8.h"

namespace belljar::screen {

namespace {

/// One channel of 1 to 4 hexadecimal digits, scaled to 8 bits.
std::optional<std::uint32_t> channel(std::string_view digits) {
  std::uint32_t value = 0;
  if (digits.empty() || digits.size() > 4) return std::nullopt;
  auto [end, error] = std::from_chars(digits.begin(), digits.end(), value, 16);
  if (error != std::errc() || end != digits.end()) return std::nullopt;
  auto most = (1U << 4 * digits.size()) - 1;
  return (value * 255 + most / 2) / most;
}

}  // namespace

std::optional<std::uint32_t> parse_color(std::string_view text) {
  std::optional<std::uint32_t> channels[3];
  if (!text.empty() && text[0] == '#') {
    text.remove_prefix(1);
    if (text.empty() || text.size() % 3 != 0) return std::nullopt;
    auto digits = text.size() / 3;
    for (std::size_t n = 0; n < 3; ++n)
      channels[n] = channel(text.substr(n * digits, digits));
  } else if (text.substr(0, 4) == "rgb:") {
    text.remove_prefix(4);
    for (std::size_t n = 0; n < 3; ++n) {
      auto end = text.find('/');
      if ((end == std::string_view::npos) != (n == 2)) return std::nullopt;
      channels[n] = channel(text.substr(0, end));
      if (n < 2) text.remove_prefix(end + 1);
    }
  }
  if (!channels[0] || !channels[1] || !channels[2]) return std::nullopt;
  return *channels[0] << 16 | *channels[1] << 8 | *channels[2];
}

std::string color_text(std::uint32_t color) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "rgb:";
  for (unsigned shift : {16U, 8U, 0U}) {
    text += kDigits[color >> (shift + 4) & 15U];
    text += kDigits[color >> shift & 15U];
    if (shift > 0) text += '/';
  }
  return text;
}

std::optional<std::uint16_t> parse_index(std::string_view text) {
  std::uint16_t value = 0;
  auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  if (error != std::errc() || end != text.end() || value > 255) return std::nullopt;
  return value;
}

std::string clean_title(std::string_view text, std::size_t bound) {
  std::string title;
  Utf8Decoder decoder;
  auto add = [&title, bound](char32_t code_point) {
    std::string character;
    append_utf8(character, code_point);
    if (title.size() + character.size() <= bound) title += character;
  };
  for (char character : text) {
    auto byte = static_cast<std::uint8_t>(character);
    if (byte >= 0x80 || decoder.begun()) {
      auto step = decoder.take(byte);
      if (step == Utf8Decoder::Step::whole && decoder.character() >= 0xA0) add(decoder.character());
      if (step != Utf8Decoder::Step::broken_before) continue;
      if (byte >= 0x80) {
        (void)decoder.take(byte);
        continue;
      }
    }
    if (byte >= 0x20 && byte != 0x7F) add(byte);
  }
  return title;
}

}  // namespace belljar::screen
