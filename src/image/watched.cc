#include "image/watched.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

namespace belljar::image {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kKept = 8192;
constexpr std::size_t kLongestLine = 300;
constexpr int kPause = 500;  // ms
constexpr auto kFirstWord = std::chrono::seconds(3), kNextWord = std::chrono::seconds(10);

}  // namespace

bool Said::read_from(int pipe) {
  std::array<char, 4096> part{};
  auto count = ::read(pipe, part.data(), part.size());
  if (count <= 0) return count < 0 && errno == EINTR;
  text_.append(part.data(), static_cast<std::size_t>(count));
  if (text_.size() > kKept) text_.erase(0, text_.size() - kKept);
  return true;
}

std::string Said::last_line() const {
  auto end = text_.find_last_not_of("\n\r ");
  if (end == std::string::npos) return "it said nothing";
  auto begin = text_.find_last_of('\n', end);
  auto line = text_.substr(begin == std::string::npos ? 0 : begin + 1,
                           end - (begin == std::string::npos ? 0 : begin + 1) + 1);
  if (line.size() > kLongestLine) line = "…" + line.substr(line.size() - kLongestLine);
  std::string shown;
  for (char c : line)
    if (c >= ' ' && c < 0x7f) shown += c;
  return shown;
}

Result<void> watch(const Watched& watched, Said& output, Said& errors) {
  auto begin = Clock::now();
  auto next_word = begin + kFirstWord;
  std::array<pollfd, 3> watch{
      {{watched.ended, POLLIN, 0}, {watched.output, POLLIN, 0}, {watched.errors, POLLIN, 0}}};
  while (true) {
    if (::poll(watch.data(), watch.size(), kPause) < 0 && errno != EINTR)
      return Error::from_errno(errno, "wait for " + watched.doing);
    // What it said last comes before its end.
    if (watch[1].revents != 0 && !output.read_from(watched.output)) watch[1].fd = -1;
    if (watch[2].revents != 0 && !errors.read_from(watched.errors)) watch[2].fd = -1;
    if (watch[1].revents == 0 && watch[2].revents == 0 && watch[0].revents != 0) return {};
    auto now = Clock::now();
    TRY(watched.room->check());
    if (now > watched.deadline)
      return Error(ErrorCode::timed_out, watched.doing + " took longer than half an hour");
    if (now < next_word || !watched.tell) continue;
    next_word = now + kNextWord;
    watched.tell(fmt::format("… still {} ({} s)", watched.doing,
                             std::chrono::duration_cast<std::chrono::seconds>(now - begin).count()));
  }
}

}  // namespace belljar::image
