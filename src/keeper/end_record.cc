#include "keeper/end_record.h"

#include <charconv>

#include <fmt/core.h>

#include "os/fd.h"

namespace belljar::keeper {

namespace {

constexpr const char* kName = "/ended";
constexpr std::string_view kKilled = "killed";
constexpr std::size_t kMaxRecord = 64;

}  // namespace

/// "SECONDS EXIT-CODE\n" or "SECONDS killed\n"
Result<void> write_end(const std::string& jar_directory, const EndRecord& end) {
  auto how = end.exit_code ? std::to_string(*end.exit_code) : std::string(kKilled);
  return os::replace_file(jar_directory + kName, fmt::format("{} {}\n", end.time, how), 0600);
}

std::optional<EndRecord> read_end(const std::string& jar_directory) {
  auto text = os::read_file(jar_directory + kName, kMaxRecord);
  if (!text || text->empty() || text->back() != '\n') return std::nullopt;
  const char* last = text->data() + text->size() - 1;
  EndRecord end;
  auto time = std::from_chars(text->data(), last, end.time);
  if (time.ec != std::errc() || time.ptr == last || *time.ptr != ' ') return std::nullopt;
  std::string_view how(time.ptr + 1, static_cast<std::size_t>(last - time.ptr - 1));
  if (how == kKilled) return end;
  auto code = std::from_chars(how.data(), how.data() + how.size(), end.exit_code.emplace());
  if (code.ec != std::errc() || code.ptr != how.data() + how.size()) return std::nullopt;
  return end;
}

}  // namespace belljar::keeper
