#include "keeper/unlooked.h"

#include <charconv>
#include <optional>

#include <fmt/core.h>
#include <unistd.h>

#include "os/fd.h"

namespace belljar::keeper {

namespace {

/// "SECONDS NANOSECONDS\n"
std::optional<timespec> read_time(const std::string& path) {
  auto text = os::read_file(path, 64);
  if (!text) return std::nullopt;
  timespec time{};
  const char* end = text->data() + text->size();
  auto seconds = std::from_chars(text->data(), end, time.tv_sec);
  if (seconds.ec != std::errc() || seconds.ptr == end || *seconds.ptr != ' ') return std::nullopt;
  auto rest = std::from_chars(seconds.ptr + 1, end, time.tv_nsec);
  if (rest.ec != std::errc() || rest.ptr == end) return std::nullopt;
  return time;
}

bool is_earlier(const timespec& a, const timespec& b) {
  return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

}  // namespace

Result<Unlooked> Unlooked::begin(const std::string& state_directory, timespec started) {
  auto path = state_directory + "/unlooked";
  if (auto earlier = read_time(path); earlier && is_earlier(*earlier, started))
    return Unlooked(path, *earlier, true);
  TRY(os::replace_file(path, fmt::format("{} {}\n", started.tv_sec, started.tv_nsec), 0600));
  return Unlooked(path, started, false);
}

void Unlooked::looked() const { ::unlink(path_.c_str()); }

}  // namespace belljar::keeper
