// Sizes and times as people write them; apart from the configuration for programs that only say them.
#include <utility>

#include <fmt/format.h>

#include "config/config.h"

namespace belljar::config {

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t number = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    number = number * 10 + static_cast<std::uint64_t>(text[digits] - '0');
    if (number > 1ULL << 52) return {};
  }
  auto unit = text.substr(digits);
  int shift = unit == "K"    ? 10
              : unit == "M"  ? 20
              : unit == "G"  ? 30
              : unit == "T"  ? 40
              : unit.empty() ? 0
                             : -1;
  if (digits == 0 || number == 0 || shift < 0 || number > (1ULL << 62) >> shift) return {};
  return number << shift;
}

std::optional<std::int64_t> parse_duration(std::string_view text) {
  static constexpr std::int64_t kMost = 86'400LL * 366'000;
  std::int64_t number = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && number < kMost; ++digits)
    number = number * 10 + (text[digits] - '0');
  auto unit = text.substr(digits);
  std::int64_t seconds = unit == "d" ? 86'400 : unit == "h" ? 3600 : unit == "m" ? 60 : unit == "s" ? 1 : 0;
  if (digits == 0 || number == 0 || seconds == 0 || number > kMost / seconds) return {};
  return number * seconds;
}

std::string format_duration(std::int64_t seconds) {
  for (auto [unit, length] : {std::pair{'d', 86'400}, {'h', 3600}, {'m', 60}})
    if (seconds != 0 && seconds % length == 0) return fmt::format("{}{}", seconds / length, unit);
  return fmt::format("{}s", seconds);
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::string_view kUnits = "KMGT";
  std::string unit;
  for (std::size_t i = 0; i < kUnits.size() && bytes != 0 && bytes % 1024 == 0; ++i) {
    bytes /= 1024;
    unit = kUnits[i];
  }
  return std::to_string(bytes) + unit;
}

}  // namespace belljar::config
