#include "keeper/detach_key.h"

#include <utility>

namespace belljar::keeper {

namespace {

/// Ctrl-\ as terminals send it, and as they do once a program has asked for unambiguous keys (kitty's
/// protocol, with or without the kind of event; xterm's modifyOtherKeys). A terminal writes a key in one
/// piece.
constexpr std::string_view kControlBackslash[] = {"\x1c", "\x1b[92;5u", "\x1b[92;5:1u", "\x1b[27;5;92~"};
constexpr std::string_view kD[] = {"d", "\x1b[100u", "\x1b[100;1u", "\x1b[100;1:1u"};
/// Where a program wants to know of releases, those of Ctrl-\ and of Ctrl stand between the two keys.
constexpr std::string_view kReleases[] = {"\x1b[92;5:3u",    "\x1b[92;1:3u",    "\x1b[57442;1:3u",
                                          "\x1b[57448;1:3u", "\x1b[57442;5:3u", "\x1b[57448;5:3u"};

template <std::size_t count>
std::string_view leading(const std::string_view (&spellings)[count], std::string_view typed) {
  for (auto spelling : spellings)
    if (typed.starts_with(spelling)) return spelling;
  return {};
}

}  // namespace

bool DetachKey::Seen::next(char byte) {
  if (byte != text_[count_]) count_ = 0;  // only the first byte is an Escape, so there is one way to go on
  if (byte == text_[count_]) ++count_;
  if (count_ < text_.size()) return false;
  count_ = 0;
  return true;
}

bool DetachKey::feed(BytesView typed, Bytes& passed) {
  auto rest = as_text(typed);
  auto pass = [&passed](std::string_view text) { passed.insert(passed.end(), text.begin(), text.end()); };
  while (!rest.empty()) {
    if (!held_.empty()) {
      if (!leading(kD, rest).empty()) return true;
      if (auto release = leading(kReleases, rest); !release.empty()) {
        held_ += release;
        rest.remove_prefix(release.size());
        continue;
      }
      pass(std::exchange(held_, {}));
    }
    auto key = pasting_ ? std::string_view() : leading(kControlBackslash, rest);
    if (!key.empty()) {
      held_ = key;
      rest.remove_prefix(key.size());
      continue;
    }
    if (paste_begins_.next(rest.front())) pasting_ = true;
    if (paste_ends_.next(rest.front())) pasting_ = false;
    pass(rest.substr(0, 1));
    rest.remove_prefix(1);
  }
  return false;
}

}  // namespace belljar::keeper
