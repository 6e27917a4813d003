// UTF-8 as terminals read it: a byte at a time, whatever is wrong becomes U+FFFD (Unicode 15, 3.9, "maximal
// subparts"), and never a character that is spelt longer than it need be.
#pragma once

#include <cstdint>
#include <string>

namespace belljar::screen {

constexpr char32_t kReplacement = 0xFFFD;

class Utf8Decoder {
 public:
  enum class Step : std::uint8_t {
    more,           ///< the byte was taken, the character isn't whole
    whole,          ///< the byte was taken: see character()
    broken,         ///< the byte was taken and is none: U+FFFD
    broken_before,  ///< what came before is none: U+FFFD; the byte was not taken and comes again
  };

  /// `byte` is 0x80 or above, or a character is begun().
  Step take(std::uint8_t byte);
  [[nodiscard]] bool begun() const { return missing_ > 0; }
  [[nodiscard]] char32_t character() const { return character_; }

 private:
  char32_t character_ = 0;
  std::uint8_t missing_ = 0;
  std::uint8_t lowest_ = 0x80;  ///< bounds of the next byte
  std::uint8_t highest_ = 0xBF;
};

void append_utf8(std::string& text, char32_t code_point);
/// Is it UTF-8 to its end, with no control character but those in `controls`?
bool is_clean_utf8(std::string_view text, std::string_view controls);

}  // namespace belljar::screen
