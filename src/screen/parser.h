// Parser: the bytes that a program writes to a terminal, taken apart into text and control functions.
//
// The state machine of DEC's VT500 (ECMA-48 5.4, DEC STD 070) for UTF-8. Its input is hostile and comes in
// any pieces; what it keeps between two is bounded. There is exactly one reading: 8-bit controls (C1), raw or
// as UTF-8, are no controls but dropped, as current terminals disagree about them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "screen/utf8.h"

namespace belljar::screen {

/// A control sequence: ESC [ prefix values intermediate final.
struct Sequence {
  static constexpr std::size_t kMostValues = 32;
  static constexpr std::uint16_t kMostValue = 65535;  ///< what is greater counts as this

  char prefix = 0;        ///< one of <=>? or 0
  char intermediate = 0;  ///< 0x20 … 0x2f or 0
  char final = 0;
  std::uint8_t count = 0;
  std::uint32_t given = 0;  ///< bit n: value n was written, be it as 0
  std::uint32_t sub = 0;    ///< bit n: value n follows a colon and belongs to the one before it
  std::array<std::uint16_t, kMostValues> values{};

  [[nodiscard]] bool is_given(std::size_t n) const { return n < count && (given >> n & 1U) != 0; }
  [[nodiscard]] bool is_sub(std::size_t n) const { return n < count && (sub >> n & 1U) != 0; }
  /// Value n, or `otherwise` where it is not there.
  [[nodiscard]] std::uint16_t value(std::size_t n, std::uint16_t otherwise = 0) const {
    return is_given(n) ? values[n] : otherwise;
  }
  /// Value n as a count: absent and 0 mean 1.
  [[nodiscard]] std::uint16_t times(std::size_t n = 0) const {
    auto times = value(n, 1);
    return times == 0 ? 1 : times;
  }
  /// Prefix, intermediate and final in one, to compare with signature().
  [[nodiscard]] std::uint32_t signature() const;
};

constexpr std::uint32_t signature(char prefix, char intermediate, char final) {
  return static_cast<std::uint32_t>(static_cast<std::uint8_t>(prefix)) << 16 |
         static_cast<std::uint32_t>(static_cast<std::uint8_t>(intermediate)) << 8 |
         static_cast<std::uint8_t>(final);
}
inline std::uint32_t Sequence::signature() const { return screen::signature(prefix, intermediate, final); }

/// The longest payload that a Screen reads, in bytes.
constexpr std::size_t kMostPayload = 4096;

/// What a Parser found, in order. Views are valid during the call.
class ParserEvents {
 public:
  virtual ~ParserEvents() = default;
  /// Printable ASCII, as many characters as came at once.
  virtual void ascii(std::string_view text) = 0;
  /// Any other character that isn't a control.
  virtual void character(char32_t code_point) = 0;
  /// A C0 control (0x00 … 0x1f, 0x7f).
  virtual void control(std::uint8_t code) = 0;
  /// ESC intermediate final; intermediate is 0 where there is none.
  virtual void escape(char intermediate, char final) = 0;
  virtual void sequence(const Sequence& sequence) = 0;
  /// The payload of an operating system command (ESC ]), empty where it was too long.
  virtual void command(std::string_view payload) = 0;
  /// The payload of a device control string (ESC P), its parameters included; empty where it was too long.
  virtual void device_control(std::string_view payload) = 0;
};

class Parser {
 public:
  /// Longer commands and device control strings are dropped as a whole.
  explicit Parser(std::size_t most_payload) : most_payload_(most_payload) {}

  void feed(BytesView bytes, ParserEvents& events);

 private:
  enum class State : std::uint8_t {
    ground,
    escape,
    escape_intermediate,
    escape_ignored,
    sequence,
    sequence_ignored,
    string,
    string_escape,
  };
  /// What is between ESC ] P _ ^ X and its end.
  enum class String : std::uint8_t { command, device_control, ignored };

  void step(std::uint8_t byte, ParserEvents& events);
  std::size_t ground(BytesView bytes, ParserEvents& events);
  void decode(std::uint8_t byte, ParserEvents& events);
  void escape(std::uint8_t byte, ParserEvents& events);
  void begin_string(String kind);
  void sequence(std::uint8_t byte, ParserEvents& events);
  bool parameter(std::uint8_t byte);
  void string(std::uint8_t byte, ParserEvents& events);
  void end_string(ParserEvents& events);

  std::size_t most_payload_;
  State state_ = State::ground;
  Utf8Decoder decoder_;
  char intermediate_ = 0;
  Sequence sequence_;
  String string_ = String::ignored;
  bool too_long_ = false;
  std::string payload_;
};

}  // namespace belljar::screen
