#include "screen/utf8.h"

namespace belljar::screen {

Utf8Decoder::Step Utf8Decoder::take(std::uint8_t byte) {
  if (missing_ > 0) {
    if (byte < lowest_ || byte > highest_) {
      missing_ = 0;
      return Step::broken_before;
    }
    character_ = character_ << 6 | (byte & 0x3FU);
    lowest_ = 0x80;
    highest_ = 0xBF;
    return --missing_ > 0 ? Step::more : Step::whole;
  }
  lowest_ = 0x80;
  highest_ = 0xBF;
  if (byte >= 0xC2 && byte <= 0xDF) {
    missing_ = 1;
    character_ = byte & 0x1FU;
  } else if (byte >= 0xE0 && byte <= 0xEF) {
    missing_ = 2;
    character_ = byte & 0x0FU;
    if (byte == 0xE0) lowest_ = 0xA0;   // no longer than need be
    if (byte == 0xED) highest_ = 0x9F;  // no surrogates
  } else if (byte >= 0xF0 && byte <= 0xF4) {
    missing_ = 3;
    character_ = byte & 0x07U;
    if (byte == 0xF0) lowest_ = 0x90;
    if (byte == 0xF4) highest_ = 0x8F;  // nothing above U+10FFFF
  } else {
    return Step::broken;
  }
  return Step::more;
}

void append_utf8(std::string& text, char32_t code_point) {
  auto put = [&text](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

bool is_clean_utf8(std::string_view text, std::string_view controls) {
  Utf8Decoder decoder;
  for (char character : text) {
    auto byte = static_cast<std::uint8_t>(character);
    if (byte < 0x80 && !decoder.begun()) {
      if ((byte < 0x20 || byte == 0x7F) && controls.find(character) == std::string_view::npos) return false;
      continue;
    }
    auto step = decoder.take(byte);
    if (step == Utf8Decoder::Step::broken || step == Utf8Decoder::Step::broken_before) return false;
    if (step == Utf8Decoder::Step::whole && decoder.character() < 0xA0) return false;  // C1 controls
  }
  return !decoder.begun();
}

}  // namespace belljar::screen
