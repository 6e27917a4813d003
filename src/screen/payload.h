// The payloads of operating system commands that screen and filter read alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belljar::screen {

/// `#rrggbb` (1 to 4 digits a channel) or `rgb:r/g/b` (1 to 4 digits each), as XParseColor reads them, as
/// red·2¹⁶ + green·2⁸ + blue. Names of colours are not known.
std::optional<std::uint32_t> parse_color(std::string_view text);
/// `rgb:rr/gg/bb`.
std::string color_text(std::uint32_t color);
/// 0 … 255 in decimal.
std::optional<std::uint16_t> parse_index(std::string_view text);

/// A title as it may be shown: valid characters only, no controls, at most `bound` bytes of it.
std::string clean_title(std::string_view text, std::size_t bound);

/// Calls `use` with each part of `text` between semicolons.
template <typename Use>
void for_each_field(std::string_view text, Use use) {
  while (true) {
    auto end = text.find(';');
    use(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace belljar::screen
