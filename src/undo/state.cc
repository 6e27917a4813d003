#include "undo/state.h"

#include <algorithm>

namespace belljar::undo {

namespace {

constexpr std::size_t kLongestShown = 4096;  // PATH_MAX

}  // namespace

std::optional<std::string> State::path_within(std::uint32_t number, const Entry& entry,
                                              std::size_t longest) const {
  std::vector<std::string_view> parts{name(entry)};
  auto length = parts[0].size();
  for (auto at = number; at != 0 && at != kNone && length <= longest; at = directories[at].parent) {
    parts.push_back(name(entries[directories[at].entry]));
    length += parts.back().size() + 1;
  }
  if (length > longest) return std::nullopt;
  std::string path;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (!path.empty()) path += '/';
    path += *part;
  }
  return path;
}

std::string State::shown_path(std::uint32_t number, const Entry& entry) const {
  auto path = path_within(number, entry, kLongestShown);
  return path ? std::move(*path) : "…/" + std::string(name(entry));
}

std::uint32_t State::find(std::uint32_t number, std::string_view wanted) const {
  const auto& directory = directories[number];
  auto begin = entries.begin() + directory.first;
  auto end = begin + directory.count;
  auto found = std::lower_bound(begin, end, wanted, [this](const Entry& entry, std::string_view sought) {
    return name(entry) < sought;
  });
  if (found == end || name(*found) != wanted) return kNone;
  return static_cast<std::uint32_t>(found - entries.begin());
}

std::uint32_t State::add_text(std::string_view added) {
  auto at = static_cast<std::uint32_t>(text.size());
  text += added;
  return at;
}

bool has_same_content(const Entry& a, const Entry& b) {
  if ((a.mode & S_IFMT) != (b.mode & S_IFMT) || a.storage != b.storage) return false;
  if (a.storage == Storage::unsaved) return a.reason == b.reason;
  if (a.is_directory()) return true;
  return a.content == b.content && a.size == b.size && a.number == b.number;
}

bool is_same_entry(const State& a, const Entry& in_a, const State& b, const Entry& in_b) {
  if (!has_same_content(in_a, in_b) || a.attributes(in_a) != b.attributes(in_b)) return false;
  if (in_a.storage == Storage::unsaved) return in_a.mode == in_b.mode;
  return in_a.mode == in_b.mode && in_a.user == in_b.user && in_a.group == in_b.group &&
         in_a.modified == in_b.modified && in_a.link == in_b.link;
}

}  // namespace belljar::undo
