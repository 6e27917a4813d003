#include "screen/input_watch.h"

#include <algorithm>
#include <string_view>

namespace belljar::screen {

namespace {

constexpr std::uint8_t kEscape = 0x1B;
constexpr std::uint32_t kMostNumber = 65535;

/// xterm's button codes, without the offset of 32 that older codings add: 3 is a release, 32 a motion, 64 and
/// more the wheel.
constexpr std::uint32_t kMotion = 32;
constexpr std::uint32_t kWheel = 64;
bool is_press(std::uint32_t button) {
  return (button & kMotion) == 0 && (button & kWheel) == 0 && (button & 3) != 3;
}

}  // namespace

bool InputWatch::feed(BytesView bytes) {
  bool acted = false;
  for (auto byte : bytes)
    acted = take(byte) || acted;
  return acted;
}

bool InputWatch::take(std::uint8_t byte) {
  switch (state_) {
    case State::plain:
      if (byte != kEscape) return true;
      state_ = State::escape;
      return false;
    case State::escape:
      if (byte == kEscape) return true;  // the key itself; what follows may still be a sequence
      state_ = byte == '[' ? State::sequence : State::plain;
      prefix_ = 0;
      first_ = 0;
      in_first_ = true;
      has_values_ = false;
      return byte != '[';
    case State::sequence:
      return take_sequence(byte);
    case State::old_mouse:
      return take_old_mouse(byte);
  }
  return false;
}

bool InputWatch::take_sequence(std::uint8_t byte) {
  if (byte < 0x20 || byte > 0x7E) {  // none after all: "Alt [", then another key
    state_ = State::plain;
    return take(byte);
  }
  if (byte < 0x40) {
    if (byte >= '<' && !has_values_) prefix_ = byte;
    if (byte >= '0' && byte <= '9' && in_first_)
      first_ = std::min<std::uint32_t>(first_ * 10 + (byte - '0'), kMostNumber);
    else if (byte < '<')
      in_first_ = false;
    has_values_ = true;
    return false;
  }
  state_ = State::plain;
  if (byte == 'M' && !has_values_) {
    state_ = State::old_mouse;
    values_left_ = 3;
    in_character_ = false;
    return false;
  }
  return ends_as_key(byte);
}

bool InputWatch::ends_as_key(std::uint8_t final) const {
  if (final == 'M' && prefix_ == '<') return is_press(first_);     // DECSET 1006 and 1016; a release is 'm'
  if (final == 'M') return first_ >= 32 && is_press(first_ - 32);  // 1015
  if (prefix_ != 0) return false;
  return std::string_view("ABCDEFGHPQRSZ[~u^@$").find(static_cast<char>(final)) != std::string_view::npos;
}

/// A button and two coordinates, each a byte or (DECSET 1005) a character of UTF-8. Which of both a terminal
/// sends isn't known here: they are read as characters, so that none of their bytes is taken for a key.
bool InputWatch::take_old_mouse(std::uint8_t byte) {
  if (byte < 0x20) {
    state_ = State::plain;
    return take(byte);
  }
  if (in_character_) {
    in_character_ = false;
    if (byte >= 0x80 && byte < 0xC0) {
      if (values_left_ == 0) state_ = State::plain;
      return false;
    }
    if (values_left_ == 0) {
      state_ = State::plain;
      return take(byte);
    }
  }
  bool is_button = values_left_ == 3;
  --values_left_;
  in_character_ = byte >= 0xC2 && byte < 0xE0;
  if (values_left_ == 0 && !in_character_) state_ = State::plain;
  return is_button && byte < 0x80 && is_press(byte - 32U);
}

}  // namespace belljar::screen
