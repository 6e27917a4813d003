#include "screen/parser.h"

#include <algorithm>

namespace belljar::screen {

namespace {

constexpr std::uint8_t kBell = 0x07;
constexpr std::uint8_t kCancel = 0x18;
constexpr std::uint8_t kSubstitute = 0x1A;
constexpr std::uint8_t kEscape = 0x1B;
constexpr std::uint8_t kDelete = 0x7F;
/// A payload's memory that is kept for the next one.
constexpr std::size_t kKeptCapacity = 4096;

bool is_printable(std::uint8_t byte) { return byte >= 0x20 && byte < 0x7F; }

}  // namespace

void Parser::feed(BytesView bytes, ParserEvents& events) {
  while (!bytes.empty()) {
    if (state_ == State::ground && !decoder_.begun() && bytes.front() != kEscape) {
      bytes = bytes.subspan(ground(bytes, events));
      continue;
    }
    step(bytes.front(), events);
    bytes = bytes.subspan(1);
  }
}

/// Text and controls up to the next escape or character in pieces; the number of bytes taken.
std::size_t Parser::ground(BytesView bytes, ParserEvents& events) {
  if (is_printable(bytes.front())) {
    auto end = std::find_if_not(bytes.begin(), bytes.end(), is_printable);
    auto count = static_cast<std::size_t>(end - bytes.begin());
    events.ascii(as_text(bytes.first(count)));
    return count;
  }
  if (bytes.front() < 0x20 || bytes.front() == kDelete)
    events.control(bytes.front());
  else
    decode(bytes.front(), events);
  return 1;
}

void Parser::decode(std::uint8_t byte, ParserEvents& events) {
  switch (decoder_.take(byte)) {
    case Utf8Decoder::Step::more:
      break;
    case Utf8Decoder::Step::whole:
      if (decoder_.character() >= 0xA0) events.character(decoder_.character());
      break;
    case Utf8Decoder::Step::broken:
      events.character(kReplacement);
      break;
    case Utf8Decoder::Step::broken_before:
      events.character(kReplacement);
      step(byte, events);  // not begun any more: one level deep
      break;
  }
}

void Parser::step(std::uint8_t byte, ParserEvents& events) {
  if (state_ == State::ground && (decoder_.begun() || byte >= 0x80)) return decode(byte, events);
  if (state_ == State::string) return string(byte, events);
  if (state_ == State::string_escape) {
    state_ = State::escape;
    if (byte == '\\') return end_string(events);
    // Not the end of the string but of its validity; the byte belongs to a new escape sequence.
  }
  if (byte == kEscape) {
    state_ = State::escape;
    intermediate_ = 0;
    return;
  }
  if (byte == kCancel || byte == kSubstitute) {
    state_ = State::ground;
    return;
  }
  if (byte < 0x20 || byte == kDelete) return events.control(byte);  // amid a sequence, too
  if (byte >= 0x80) {                                               // no part of any sequence: it is given up
    state_ = State::ground;
    return decode(byte, events);
  }
  switch (state_) {
    case State::ground:
      return events.ascii(as_text({&byte, 1}));
    case State::escape:
    case State::escape_intermediate:
    case State::escape_ignored:
      return escape(byte, events);
    default:
      return sequence(byte, events);
  }
}

void Parser::escape(std::uint8_t byte, ParserEvents& events) {
  if (byte < 0x30) {  // an intermediate
    bool second = state_ != State::escape;
    intermediate_ = static_cast<char>(byte);
    state_ = second ? State::escape_ignored : State::escape_intermediate;
    return;
  }
  bool plain = state_ == State::escape;
  bool ignored = state_ == State::escape_ignored;
  state_ = State::ground;
  if (ignored) return;
  if (!plain) return events.escape(intermediate_, static_cast<char>(byte));
  switch (byte) {
    case '[':
      state_ = State::sequence;
      sequence_ = {};
      return;
    case ']':
      return begin_string(String::command);
    case 'P':
      return begin_string(String::device_control);
    case '_':
    case '^':
    case 'X':
      return begin_string(String::ignored);
    default:
      return events.escape(0, static_cast<char>(byte));
  }
}

void Parser::begin_string(String kind) {
  state_ = State::string;
  string_ = kind;
  too_long_ = false;
  payload_.clear();
}

void Parser::sequence(std::uint8_t byte, ParserEvents& events) {
  if (byte >= 0x40) {
    bool ignored = state_ == State::sequence_ignored;
    state_ = State::ground;
    sequence_.final = static_cast<char>(byte);
    if (!ignored) events.sequence(sequence_);
  } else if (!parameter(byte)) {
    state_ = State::sequence_ignored;
  }
}

/// Takes a byte before the final one; false where none may stand there, or one too many.
bool Parser::parameter(std::uint8_t byte) {
  if (byte < 0x30) {
    bool first = sequence_.intermediate == 0;
    sequence_.intermediate = static_cast<char>(byte);
    return first;
  }
  if (sequence_.intermediate != 0) return false;
  if (byte >= 0x3C) {
    bool first = sequence_.prefix == 0 && sequence_.count == 0;
    sequence_.prefix = static_cast<char>(byte);
    return first;
  }
  if (sequence_.count == 0) sequence_.count = 1;
  if (byte >= 0x3A) {
    if (sequence_.count == Sequence::kMostValues) return false;
    if (byte == 0x3A) sequence_.sub |= 1U << sequence_.count;
    ++sequence_.count;
    return true;
  }
  std::size_t last = sequence_.count - 1U;
  auto value = sequence_.values[last] * 10U + (byte - std::uint32_t{'0'});
  sequence_.values[last] = static_cast<std::uint16_t>(std::min<std::uint32_t>(value, Sequence::kMostValue));
  sequence_.given |= 1U << last;
  return true;
}

void Parser::string(std::uint8_t byte, ParserEvents& events) {
  if (byte == kEscape) {
    state_ = State::string_escape;
    intermediate_ = 0;
  } else if (byte == kCancel || byte == kSubstitute) {
    state_ = State::ground;
  } else if (byte == kBell && string_ == String::command) {
    end_string(events);
  } else if (byte >= 0x20 && byte != kDelete && string_ != String::ignored && !too_long_) {
    too_long_ = payload_.size() >= most_payload_;
    if (!too_long_) payload_.push_back(static_cast<char>(byte));
  }
}

void Parser::end_string(ParserEvents& events) {
  state_ = State::ground;
  if (too_long_) payload_.clear();
  if (string_ == String::command) events.command(payload_);
  if (string_ == String::device_control) events.device_control(payload_);
  payload_.clear();
  if (payload_.capacity() > kKeptCapacity) payload_.shrink_to_fit();
}

}  // namespace belljar::screen
