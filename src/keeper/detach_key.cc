#include "keeper/detach_key.h"

#include <utility>

namespace belljar::keeper {

namespace {

/// Ctrl-\ as terminals send it, and as they do once a program has asked for unambiguous keys (kitty's
/// protocol). A terminal writes a key in one piece.
constexpr std::string_view kControlBackslash[] = {"\x1c", "\x1b[92;5u"};

std::string_view leading_control_backslash(std::string_view typed) {
  for (auto spelling : kControlBackslash)
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
      if (rest.front() == 'd') return true;
      pass(std::exchange(held_, {}));
    }
    auto key = pasting_ ? std::string_view() : leading_control_backslash(rest);
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
