// InputWatch: does what a terminal sends come from a person?
//
// Terminals also report by themselves what a program asked to be told (focus, where the mouse is), and a
// program may ask for that. Only keys, pastes and presses of a button are something that the user did.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace belljar::screen {

/// One for each terminal that is typed at; its bytes in any pieces. What can't be told for certain (a
/// sequence of another kind, one that has no end yet, the wheel) counts as a report.
class InputWatch {
 public:
  /// Whether these bytes complete anything that the user did.
  bool feed(BytesView bytes);

 private:
  enum class State : std::uint8_t { plain, escape, sequence, old_mouse };

  bool take(std::uint8_t byte);
  bool take_sequence(std::uint8_t byte);
  bool take_old_mouse(std::uint8_t byte);
  [[nodiscard]] bool ends_as_key(std::uint8_t final) const;

  State state_ = State::plain;
  std::uint8_t prefix_ = 0;    ///< of a sequence: one of < = > ?
  std::uint32_t first_ = 0;    ///< its first number
  bool in_first_ = true;       ///< no separator yet
  bool has_values_ = false;    ///< anything stands before the final byte
  int values_left_ = 0;        ///< of an old mouse report
  bool in_character_ = false;  ///< within one of them, in UTF-8
};

}  // namespace belljar::screen
